// The gallery: every published experiment with what its paper says, our figures, and whether they hold.

import type { Experiment, Figure, PageData, Run } from "./data";
import { claims_badge, claims_of, claims_table, papers_overview } from "./claims";
import { el, section, table } from "./dom";
import { experiment_charts, setting_text, with_unit_of } from "./figure_charts";
import { number, seconds, unit as unit_text } from "./format";
import { pictures } from "./pictures";
import { animation_section } from "./animation_slot";
import { curve_of, first_choices, variable_plots } from "./variable_plots";

function expectation(figure: Figure): string {
  const e = figure.expected;
  if (!e) return "–";
  if (e.value !== undefined) return number(e.value) + (e.rel !== undefined ? ` ± ${number(100 * e.rel, 2)} %` : e.abs !== undefined ? ` ± ${number(e.abs, 2)}` : "");
  if (e.min !== undefined && e.max !== undefined) return `${number(e.min)} to ${number(e.max)}`;
  return e.max !== undefined ? `≤ ${number(e.max)}` : `≥ ${number(e.min)}`;
}

/** Without those that stand for a claim alone. */
const figures = (experiment: Experiment): Figure[] => experiment.rows.filter((row) => row.case["claim"] === undefined);

function figures_table(experiment: Experiment): HTMLElement {
  const own = figures(experiment);
  const keys = [...new Set(own.flatMap((row) => Object.keys(row.case)))];
  const rows = own.map((row) => [
    ...keys.map((key) => setting_text(row.case[key])),
    row.quantity,
    number(row.paper),
    expectation(row),
    number(row.ours, 5),
    unit_text(row.unit),
    row.mark,
    row.expected === null ? "" : row.holds ? "✓" : "✗ misses",
  ]);
  const heads = keys.map((key) => with_unit_of(experiment, key));
  return table([...heads, "quantity", "paper", "expected", "ours", "unit", "mark", "regression"], rows);
}

/** Whether the values that we guard are still met: no word about the paper. */
function regressions(experiment: Experiment): HTMLElement {
  const expected = experiment.rows.filter((row) => row.expected !== null);
  const held = expected.filter((row) => row.holds).length;
  const all = held === expected.length;
  if (all) return el("span", { class: "regressions" }, `${held} guarded values met`);
  return el("span", { class: "badge", "data-verdict": "misses" }, el("span", { class: "mark", "aria-hidden": "true" }, "✗"), `${expected.length - held} of ${expected.length} guarded values missed`);
}

function run_parts(run: Run): HTMLElement[] {
  const columns = run.tables.results?.columns ?? [];
  const parts: HTMLElement[] = [];
  if (run.tables.geometry && run.system?.scene) parts.push(animation_section(run));
  if (columns.length > 0) parts.push(variable_plots(columns, async (column) => [await curve_of(run, column)], first_choices(columns, 2)));
  return parts;
}

export function gallery_page(data: PageData): HTMLElement[] {
  const experiments = data.experiments ?? [];
  const overview = table(
    ["experiment", "what it compares", "claims of the paper", "regression", "took"],
    experiments.map((e) => [el("a", { href: `#${e.name}` }, e.name), e.summary, claims_badge(claims_of(e)), regressions(e), seconds(e.seconds, 2)]),
  );
  const sections = experiments.map((experiment) => {
    const run = data.runs.find((r) => r.name === experiment.name);
    return section(
      experiment.name,
      experiment.name,
      el("p", {}, claims_badge(claims_of(experiment)), " ", regressions(experiment)),
      el("p", { class: "sentence" }, experiment.summary),
      ...experiment.statement.map((paragraph) => el("p", {}, paragraph)),
      ...(claims_of(experiment).length > 0 ? [el("details", {}, el("summary", {}, `All ${claims_of(experiment).length} claims: printed, ours, mark`), claims_table(claims_of(experiment)))] : []),
      ...pictures(experiment.pictures),
      ...(run ? run_parts(run) : []),
      el("div", { class: "charts" }, ...experiment_charts(experiment)),
      el("details", {}, el("summary", {}, `All ${figures(experiment).length} figures: paper, expected, ours`), figures_table(experiment)),
    );
  });
  return [section("papers", "What holds as published", ...papers_overview(experiments)), section("overview", "Published experiments", overview), ...sections];
}
