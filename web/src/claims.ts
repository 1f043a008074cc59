// Claims of the papers: which hold as published, which do not, and why.

import type { Experiment, Figure } from "./data";
import { el, table } from "./dom";
import { number, unit as unit_text } from "./format";

export const claims_of = (experiment: Experiment): Figure[] => experiment.rows.filter((row) => row.claim !== null);

export interface Count {
  held: number;
  missed: number;
}
export function count(claims: Figure[]): Count {
  const held = claims.filter((row) => row.mark === "as published").length;
  return { held, missed: claims.length - held };
}

/** "40 claims: 38 as published, 2 not" */
export function claims_badge(claims: Figure[]): HTMLElement {
  const { held, missed } = count(claims);
  const words = `${claims.length} claim${claims.length === 1 ? "" : "s"}: ${held} as published, ${missed} not`;
  const state = claims.length === 0 ? "none" : missed === 0 ? "holds" : "doubtful";
  if (claims.length === 0) return el("span", { class: "badge" }, el("span", { class: "mark", "aria-hidden": "true" }, "–"), "no claims");
  return el("span", { class: "badge", "data-verdict": state }, el("span", { class: "mark", "aria-hidden": "true" }, missed === 0 ? "✓" : "≠"), words);
}

const ours = (row: Figure): string => `${row.quantity}: ${number(row.ours, 4)} ${unit_text(row.unit)}`.trim();

/** Those that do not hold come first. */
export function claims_table(claims: Figure[]): HTMLElement {
  const order = [...claims].sort((a, b) => Number(a.mark === "as published") - Number(b.mark === "as published"));
  const rows = order.map((row) => [
    row.source?.place ?? "",
    row.claim ?? "",
    row.source?.printed ?? "",
    row.source?.read ?? "",
    ours(row),
    row.source?.asks ?? "",
    el("span", { class: row.mark === "as published" ? "as-published" : "not-as-published" }, row.mark === "as published" ? "✓ as published" : "✗ not as published"),
    row.reason ?? "",
  ]);
  return table(["where", "claim", "printed", "how read", "ours", "holds if", "mark", "why not"], rows);
}

/** Per paper: counts, and what does not hold. */
export function papers_overview(experiments: Experiment[]): HTMLElement[] {
  const claims = experiments.flatMap((e) => claims_of(e).map((row) => ({ experiment: e.name, row })));
  const papers = [...new Set(claims.map(({ row }) => row.source?.paper ?? ""))];
  if (papers.length === 0) return [];
  const counts = table(
    ["paper", "claims", "as published", "not as published"],
    papers.map((paper) => {
      const own = claims.filter(({ row }) => row.source?.paper === paper).map(({ row }) => row);
      const { held, missed } = count(own);
      return [paper, own.length, held, missed];
    }),
  );
  const missed = claims.filter(({ row }) => row.mark === "not as published");
  const list = table(
    ["paper", "where", "claim", "printed", "ours", "why not"],
    missed.map(({ experiment, row }) => [
      row.source?.paper ?? "",
      el("a", { href: `#${experiment}` }, row.source?.place ?? ""),
      row.claim ?? "",
      row.source?.printed ?? "",
      ours(row),
      row.reason ?? "",
    ]),
  );
  return [counts, el("h3", {}, missed.length === 0 ? "All claims hold as published" : "Not as published"), ...(missed.length > 0 ? [list] : [])];
}
