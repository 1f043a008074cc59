// The gallery: every published experiment with what its paper says, our figures, and whether they hold.

import { type ChartCurve, chart, yes_no_map } from "./chart";
import type { Experiment, Figure, PageData, Run } from "./data";
import { el, section, table } from "./dom";
import { number, seconds, unit as unit_text } from "./format";
import { animation_section } from "./animation_slot";
import { curve_of, first_choices, variable_plots } from "./variable_plots";

function expectation(figure: Figure): string {
  const e = figure.expected;
  if (!e) return "–";
  if (e.value !== undefined) return number(e.value) + (e.rel !== undefined ? ` ± ${number(100 * e.rel, 2)} %` : e.abs !== undefined ? ` ± ${number(e.abs, 2)}` : "");
  if (e.min !== undefined && e.max !== undefined) return `${number(e.min)} to ${number(e.max)}`;
  return e.max !== undefined ? `≤ ${number(e.max)}` : `≥ ${number(e.min)}`;
}

const setting_text = (value: number | string | undefined): string => (value === undefined ? "" : typeof value === "number" ? number(value) : value);

function figures_table(experiment: Experiment): HTMLElement {
  const keys = [...new Set(experiment.rows.flatMap((row) => Object.keys(row.case)))];
  const rows = experiment.rows.map((row) => [
    ...keys.map((key) => setting_text(row.case[key])),
    row.quantity,
    number(row.paper),
    expectation(row),
    number(row.ours, 5),
    unit_text(row.unit),
    row.expected === null ? "" : row.holds ? "✓" : "✗ misses",
  ]);
  return table([...keys, "quantity", "paper", "expected", "ours", "unit", "holds"], rows);
}

/** The settings that take several values, and whether those are numbers. */
function varying(rows: Figure[]): { key: string; numbers: boolean; values: (number | string)[] }[] {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row.case)))];
  return keys
    .map((key) => {
      const values = [...new Set(rows.map((row) => row.case[key]).filter((v): v is number | string => v !== undefined))];
      return { key, numbers: values.every((v) => typeof v === "number"), values };
    })
    .filter((entry) => entry.values.length > 1);
}

function grouped(rows: Figure[], keys: string[]): Map<string, Figure[]> {
  const groups = new Map<string, Figure[]>();
  for (const row of rows) {
    const label = keys.filter((key) => row.case[key] !== undefined).map((key) => `${key} ${setting_text(row.case[key])}`).join(", ");
    groups.set(label, [...(groups.get(label) ?? []), row]);
  }
  return groups;
}

const most_curves = 6;

/** One quantity: a map where it is yes or no over two numbers, curves where a number varies, else ours beside the paper's. */
function plots_of(rows: Figure[], quantity: string): HTMLElement[] {
  const own = rows.filter((row) => row.quantity === quantity && row.ours !== null);
  const settings = varying(own);
  const numeric = settings.filter((entry) => entry.numbers && entry.values.length > 2).sort((a, b) => b.values.length - a.values.length);
  const first = numeric[0];
  const second = numeric[1];
  const shown = unit_text(own[0]?.unit ?? "");
  const y_label = shown ? `${quantity} in ${shown}` : quantity;
  if (first && second && own.every((row) => row.ours === 0 || row.ours === 1)) {
    const others = settings.filter((entry) => entry !== first && entry !== second).map((entry) => entry.key);
    return [...grouped(own, others)].map(([label, group]) => {
      const points = group
        .filter((row) => row.case[first.key] !== undefined && row.case[second.key] !== undefined)
        .map((row) => ({ x: row.case[first.key] as number, y: row.case[second.key] as number, yes: row.ours === 1 }));
      return yes_no_map(points, { title: `${quantity}: ${label}`, x_label: first.key, y_label: second.key }, quantity, `not ${quantity}`);
    });
  }
  if (!first) return [];
  const others = settings.filter((entry) => entry !== first).map((entry) => entry.key);
  const curves: ChartCurve[] = [];
  for (const [label, group] of grouped(own, others)) {
    const points = group.filter((row) => typeof row.case[first.key] === "number").sort((a, b) => (a.case[first.key] as number) - (b.case[first.key] as number));
    if (points.length < 2) continue;
    const x = points.map((row) => row.case[first.key] as number);
    const suffix = label ? `: ${label}` : "";
    curves.push({ label: `ours${suffix}`, x, y: points.map((row) => row.ours as number) });
    const published = points.filter((row) => row.paper !== null);
    if (published.length > 0)
      curves.push({ label: `paper${suffix}`, x: published.map((row) => row.case[first.key] as number), y: published.map((row) => row.paper as number), marks_only: true });
  }
  if (curves.length === 0) return [];
  const kept = curves.slice(0, most_curves);
  const title = `${quantity} over ${first.key}` + (kept.length < curves.length ? ` (${kept.length} of ${curves.length} curves)` : "");
  return [chart(kept, { title, x_label: first.key, y_label })];
}

/** Where no number varies: ours over the paper's, 1 where they agree. */
function ratio_chart(rows: Figure[]): HTMLElement[] {
  const published = rows.filter((row) => row.paper !== null && row.paper !== 0 && row.ours !== null);
  if (published.length < 3) return [];
  const y = published.map((row) => (row.ours as number) / (row.paper as number));
  return [
    chart([{ label: "ours ÷ paper", x: y.map((_, i) => i + 1), y, marks_only: true }], {
      title: "Our figures over those of the paper, in the order of the table",
      x_label: "number of the figure",
      y_label: "ours ÷ paper",
    }),
  ];
}

function experiment_plots(experiment: Experiment): HTMLElement[] {
  const quantities = [...new Set(experiment.rows.map((row) => row.quantity))];
  const found = quantities.flatMap((quantity) => plots_of(experiment.rows, quantity)).slice(0, 8);
  return found.length > 0 ? found : ratio_chart(experiment.rows);
}

function badge(experiment: Experiment): HTMLElement {
  const expected = experiment.rows.filter((row) => row.expected !== null);
  const held = expected.filter((row) => row.holds).length;
  const all = held === expected.length;
  return el("span", { class: "badge", "data-verdict": all ? "holds" : "misses" }, el("span", { class: "mark", "aria-hidden": "true" }, all ? "✓" : "✗"), `${held} of ${expected.length} figures hold`);
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
    ["experiment", "what it compares", "figures", "took"],
    experiments.map((e) => [el("a", { href: `#${e.name}` }, e.name), e.summary, badge(e), seconds(e.seconds, 2)]),
  );
  const sections = experiments.map((experiment) => {
    const run = data.runs.find((r) => r.name === experiment.name);
    return section(
      experiment.name,
      experiment.name,
      el("p", {}, badge(experiment)),
      el("p", { class: "sentence" }, experiment.summary),
      ...experiment.statement.map((paragraph) => el("p", {}, paragraph)),
      ...(run ? run_parts(run) : []),
      el("div", { class: "charts" }, ...experiment_plots(experiment)),
      el("details", {}, el("summary", {}, `All ${experiment.rows.length} figures: paper, expected, ours`), figures_table(experiment)),
    );
  });
  return [section("overview", "Published experiments", overview), ...sections];
}
