// Several runs in one page: overlaid, with a table of errors.

import { type Column, type PageData, type Run, find_column } from "./data";
import { el, section, table } from "./dom";
import { balance_of, minus_start } from "./energy";
import { number, percent, seconds, unit as unit_text } from "./format";
import { type Curve, TimePlot } from "./plot";
import { curve_of, variable_plots } from "./variable_plots";
import { settings_table } from "./settings_diff";
import { figures, verdict_badge, verdict_value } from "./verdict";
import { animation_section } from "./animation_slot";

function cards(data: PageData): HTMLElement {
  return el(
    "div",
    { class: "cards" },
    ...data.runs.map((run) =>
      el(
        "article",
        { class: "card" },
        el("h3", {}, run.name, run.name === data.reference ? el("span", { class: "unit" }, " (reference)") : null),
        run.summary ? el("p", {}, verdict_badge(verdict_value(run.summary))) : null,
        ...(run.summary?.verdict?.reasons ?? []).slice(0, 1).map((reason) => el("p", { class: "small" }, reason.what)),
        el("dl", { class: "figures small" }, ...figures(run).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
      ),
    ),
  );
}

function error_tables(data: PageData): HTMLElement {
  const parts = (data.comparisons ?? []).map((comparison) => {
    const sorted = [...comparison.variables].sort((a, b) => (b.relative ?? Infinity) - (a.relative ?? Infinity));
    const rows = sorted.map((v) => [
      v.name,
      unit_text(v.unit),
      number(v.max_error),
      v.relative === null ? "not a number" : percent(v.relative),
      number(v.rms_error),
      seconds(v.at_s),
      ...(data.tolerance === null || data.tolerance === undefined ? [] : [v.within ? "✓ within" : "✗ beyond"]),
    ]);
    const head = ["variable", "unit", "largest error", "relative to the largest value", "root mean square", "largest at"];
    if (data.tolerance !== null && data.tolerance !== undefined) head.push(`tolerance ${number(data.tolerance)}`);
    return el(
      "div",
      {},
      table(head, rows, `${comparison.run} against ${data.reference ?? "the reference"}`),
      comparison.missing.length > 0 ? el("p", {}, `Not in ${comparison.run}: ${comparison.missing.join(", ")}.`) : null,
      ...comparison.remarks.map((remark) => el("p", {}, remark)),
    );
  });
  return el("div", {}, ...parts);
}

/** The columns of all runs by name, as the first run that has them tells them. */
function all_columns(runs: Run[]): Column[] {
  const found = new Map<string, Column>();
  for (const run of runs) for (const column of run.tables.results?.columns ?? []) if (!found.has(column.name)) found.set(column.name, column);
  return [...found.values()];
}

async function energy_plot(runs: Run[]): Promise<HTMLElement | null> {
  const curves: Curve[] = [];
  for (const run of runs) {
    const source = run.tables.energy;
    const sum = source ? await balance_of(source) : null;
    if (sum) curves.push({ label: run.name, unit: "J", samples: minus_start(sum) });
  }
  if (curves.length === 0) return null;
  const plot = new TimePlot({ title: "Stored and dissipated less supplied energy of all subsystems and elements together, as deviation from its start" });
  plot.set(curves);
  return plot.element;
}

export function compare_page(data: PageData): HTMLElement[] {
  const renamed = data.renamed ?? {};
  const others = new Set(data.runs.filter((run) => run.name !== data.reference).flatMap((run) => (run.tables.results?.columns ?? []).map((column) => column.name)));
  const theirs = new Set(Object.values(renamed));
  const columns = all_columns(data.runs).filter((column) => !theirs.has(column.name) || others.has(column.name));
  const overlay = async (column: Column): Promise<Curve[]> => {
    const curves: Curve[] = [];
    for (const run of data.runs) {
      const own = find_column(run.tables.results, run.name === data.reference ? (renamed[column.name] ?? column.name) : column.name);
      if (own) curves.push(await curve_of(run, own, `${column.name}, ${run.name}`));
    }
    return curves;
  };
  // Of each unit what differs most.
  const worst = new Map<string, number>();
  for (const variable of (data.comparisons ?? []).flatMap((comparison) => comparison.variables))
    worst.set(variable.name, Math.max(worst.get(variable.name) ?? 0, variable.relative ?? Infinity));
  const by_error = [...columns].sort((a, b) => (worst.get(b.name) ?? 0) - (worst.get(a.name) ?? 0));
  const units = [...new Set(by_error.map((column) => column.unit))].slice(0, 4);
  const choices = units.map((unit) => [by_error.find((column) => column.unit === unit)?.name ?? ""]);
  const energy = el("div", { class: "plots" });
  void energy_plot(data.runs).then((plot) => energy.append(plot ?? el("p", {}, "None of the runs keeps energy accounts.")));
  const sections = [
    section("differences", "What differs", settings_table(data.runs)),
    section("runs", "Runs", cards(data)),
    section("energy", "Energy", energy),
    section("plots", "Variables", variable_plots(columns, overlay, choices)),
    section("errors", "Errors", error_tables(data)),
  ];
  const animated = data.runs.find((run) => run.tables.geometry && run.system?.scene);
  if (animated) sections.splice(2, 0, section("animation", `Animation of ${animated.name}`, animation_section(animated)));
  return sections;
}
