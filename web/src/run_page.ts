// The page of one run.

import type { PageData, Run } from "./data";
import { diagram } from "./diagram";
import { el, guarded_section, table } from "./dom";
import { energy_section } from "./energy";
import { count, number, percent, seconds } from "./format";
import { curve_of, first_choices, variable_plots } from "./variable_plots";
import { verdict_card } from "./verdict";
import { animation_section } from "./animation_slot";

function cost_section(run: Run): HTMLElement {
  const entries = Object.entries(run.summary?.subsystems ?? {});
  if (entries.length === 0) return el("p", {}, "Costs are reported at the end of a run.");
  const cost = (s: { steps?: number; mean_step_s?: number }): number => (s.steps ?? 0) * (s.mean_step_s ?? 0);
  const sum = entries.reduce((total, [, s]) => total + cost(s), 0);
  const sorted = [...entries].sort((a, b) => cost(b[1]) - cost(a[1]));
  const rows = sorted.map(([name, s]) => {
    const share = sum > 0 ? cost(s) / sum : 0;
    const bar = el("span", { class: "bar", "aria-hidden": "true" });
    bar.style.width = `${Math.round(100 * share)}px`;
    return [name, count(s.steps ?? 0), seconds(s.mean_step_s, 3), seconds(cost(s), 3), el("span", { class: "bar-cell" }, bar, ` ${percent(share)}`)];
  });
  return el(
    "div",
    {},
    table(["subsystem", "steps", "one step", "all steps", "share"], rows, "Cost of subsystems"),
    el("p", { class: "key" }, `Times of steps are estimated from every 64th. The run took ${seconds(run.summary?.wall_time_s, 3)} in all.`),
  );
}

function settings_section(run: Run, data: PageData): HTMLElement {
  const { summary } = run;
  const facts: [string, string][] = [["report made by", `ergon ${data.ergon_version}`]];
  if (summary) facts.push(["run by", `ergon ${summary.ergon_version}`]);
  if (run.system?.scheme) facts.push(["scheme", run.system.scheme]);
  for (const [key, value] of Object.entries(summary?.step_control ?? {})) facts.push([`step control: ${key}`, number(value, 6)]);
  for (const [key, value] of Object.entries(summary?.implicit ?? {})) facts.push([`implicit: ${key}`, number(value, 6)]);
  if (run.missing.length > 0) facts.push(["not in the folder", run.missing.join(", ")]);
  const notes = [...(summary?.warnings ?? []).map((text) => `warning: ${text}`), ...(summary?.notes ?? [])];
  return el(
    "div",
    {},
    el("dl", { class: "figures" }, ...facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    notes.length > 0 ? el("ul", { class: "notes" }, ...notes.map((note) => el("li", {}, note))) : null,
    run.scenario ? el("details", {}, el("summary", {}, "The scenario as it was run"), el("pre", { tabindex: 0 }, run.scenario)) : null,
  );
}

export function run_page(data: PageData): HTMLElement[] {
  const run = data.runs[0];
  if (!run) return [el("p", {}, "There is no run in this page.")];
  const sections = [guarded_section("verdict", "Verdict", () => [verdict_card(run)])];
  if (run.tables.geometry && run.system?.scene) sections.push(guarded_section("animation", "Animation", () => [animation_section(run)]));
  const columns = run.tables.results?.columns ?? [];
  sections.push(
    guarded_section("system", "System", () => [
      run.system ? diagram(run.system) : el("p", {}, "The folder has no system.json, so the wiring is not known."),
    ]),
    guarded_section("plots", "Variables", () => [
      columns.length > 0
        ? variable_plots(columns, async (column) => [await curve_of(run, column)], first_choices(columns))
        : el("p", {}, "No variable was recorded."),
      run.tables.motion ? el("p", { class: "key" }, "Shaded bands: error estimate from a second run with another step size.") : null,
    ]),
    guarded_section("energy", "Energy", () => [energy_section(run)]),
    guarded_section("cost", "Cost", () => [cost_section(run)]),
    guarded_section("settings", "Settings and versions", () => [settings_section(run, data)]),
  );
  return sections;
}
