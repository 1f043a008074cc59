// Charts of an experiment's figures: curves over the setting that is varied most, maps where a figure is yes or no.

import { type ChartCurve, chart, yes_no_map } from "./chart";
import type { Experiment, Figure } from "./data";
import { el, table } from "./dom";
import { number, unit as unit_text } from "./format";

type Setting = number | string;

export const setting_text = (value: Setting | undefined): string => (value === undefined ? "" : typeof value === "number" ? number(value) : value);

/** "H1 in s" */
export function with_unit_of(experiment: Experiment, setting: string): string {
  const shown = unit_text(experiment.setting_units[setting] ?? "1");
  return shown ? `${as_words(setting)} in ${shown}` : as_words(setting);
}

/** Words for quantities and settings: "max_energy_error" is read as "max energy error". */
export const as_words = (name: string): string => name.replaceAll("_", " ");

/** The settings that take several values, and whether more than two of them are numbers: where some are not ("auto"), the rows that
 *  have numbers are drawn. */
function varying(rows: Figure[]): { key: string; numbers: boolean; values: Setting[] }[] {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row.case)))];
  return keys
    .map((key) => {
      const values = [...new Set(rows.map((row) => row.case[key]).filter((v): v is Setting => v !== undefined))];
      return { key, numbers: values.filter((v) => typeof v === "number").length > 2, values };
    })
    .filter((entry) => entry.values.length > 1);
}

interface Group {
  settings: Record<string, Setting>;
  rows: Figure[];
}

function grouped(rows: Figure[], keys: string[]): Group[] {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const settings = Object.fromEntries(keys.filter((key) => row.case[key] !== undefined).map((key) => [key, row.case[key] as Setting]));
    const name = JSON.stringify(settings);
    const group = groups.get(name) ?? { settings, rows: [] };
    group.rows.push(row);
    groups.set(name, group);
  }
  return [...groups.values()];
}

/** "scheme jacobi, feedthrough stale" of these keys only. */
const words = (settings: Record<string, Setting>, keys: string[]): string =>
  keys.filter((key) => settings[key] !== undefined).map((key) => `${as_words(key)} ${setting_text(settings[key])}`).join(", ");

/** The keys in which some of these differ, and those in which all agree. */
function told_apart(all: Record<string, Setting>[]): { differing: string[]; common: string[] } {
  const keys = [...new Set(all.flatMap((settings) => Object.keys(settings)))];
  const agree = (key: string): boolean => all.every((settings) => settings[key] === all[0]?.[key]);
  return { differing: keys.filter((key) => !agree(key)), common: keys.filter(agree) };
}

interface FigureCurve {
  who: "ours" | "paper";
  settings: Record<string, Setting>;
  x: number[];
  y: number[];
  dots?: boolean; // cases that have nothing to do with each other: no line joins them
}

/** Settings whose numbers are names. */
const is_label = (key: string): boolean => key === "case" || key.endsWith("_case");

const at_first = 6;

/** Curves of one quantity; where there are many, which of them is chosen below. The legend names only what differs. */
function curves_chart(curves: FigureCurve[], title: string, x_label: string, y_label: string): HTMLElement {
  const chosen = new Set(curves.slice(0, at_first));
  const common_line = el("p", { class: "chart-settings" });
  const shown = (): ChartCurve[] => {
    const kept = curves.filter((curve) => chosen.has(curve));
    const { differing, common } = told_apart(kept.map((curve) => curve.settings));
    common_line.textContent = kept[0] ? words(kept[0].settings, common) : "";
    return kept.map((curve) => {
      const label = words(curve.settings, differing);
      return { label: label ? `${curve.who}: ${label}` : curve.who, x: curve.x, y: curve.y, marks_only: curve.who === "paper" || curve.dots === true };
    });
  };
  const { figure, redraw } = chart(shown, { title, x_label, y_label });
  figure.querySelector("figcaption")?.after(common_line);
  if (curves.length > at_first) {
    const { differing } = told_apart(curves.map((curve) => curve.settings));
    const boxes = curves.map((curve) => {
      const box = el("input", {
        type: "checkbox",
        change: () => {
          if (box.checked) chosen.add(curve);
          else chosen.delete(curve);
          redraw();
        },
      });
      box.checked = chosen.has(curve);
      return el("li", {}, el("label", {}, box, ` ${curve.who}: ${words(curve.settings, differing)}`));
    });
    figure.append(el("details", { class: "chart-curves" }, el("summary", {}, `Choose among ${curves.length} curves`), el("ul", {}, ...boxes)));
  }
  return figure;
}

/** Yes or no over one number: a row for each way, a column for each number. */
function yes_no_table(groups: Group[], over: string, head: string, quantity: string): HTMLElement {
  const numbers = [...new Set(groups.flatMap((group) => group.rows.map((row) => row.case[over])))].filter((v): v is number => typeof v === "number").sort((a, b) => a - b);
  const { differing, common } = told_apart(groups.map((group) => group.settings));
  const rows = groups.map((group) => [
    words(group.settings, differing) || quantity,
    ...numbers.map((v) => {
      const row = group.rows.find((r) => r.case[over] === v);
      return row === undefined ? "" : row.ours === 1 ? "✓" : "✗";
    }),
  ]);
  const of_all = groups[0] ? words(groups[0].settings, common) : "";
  return el(
    "figure",
    { class: "plot wide" },
    el("figcaption", {}, `${quantity} over ${head}: ✓ yes, ✗ no`),
    el("p", { class: "chart-settings" }, of_all),
    table(["", ...numbers.map((v) => number(v))], rows),
  );
}

/** One quantity: a map where it is yes or no, curves where a number varies, nothing where none does. */
function charts_of(experiment: Experiment, quantity: string): HTMLElement[] {
  const own = experiment.rows.filter((row) => row.quantity === quantity && row.ours !== null && row.case["claim"] === undefined);
  const settings = varying(own);
  const numeric = settings.filter((entry) => entry.numbers).sort((a, b) => b.values.length - a.values.length);
  const [first, second] = numeric;
  if (!first) return [];
  const x_label = with_unit_of(experiment, first.key);
  const yes_or_no = own.every((row) => row.ours === 0 || row.ours === 1);
  if (second && yes_or_no) {
    const others = settings.filter((entry) => entry !== first && entry !== second).map((entry) => entry.key);
    return grouped(own, others).map((group) => {
      const points = group.rows
        .filter((row) => row.case[first.key] !== undefined && row.case[second.key] !== undefined)
        .map((row) => ({ x: row.case[first.key] as number, y: row.case[second.key] as number, yes: row.ours === 1 }));
      const title = `${as_words(quantity)}: ${words(group.settings, others)}`;
      return yes_no_map(points, { title, x_label, y_label: with_unit_of(experiment, second.key) }, as_words(quantity), `not ${as_words(quantity)}`);
    });
  }
  const others = settings.filter((entry) => entry !== first).map((entry) => entry.key);
  const groups = grouped(own, others);
  if (yes_or_no) return [yes_no_table(groups, first.key, x_label, as_words(quantity))];
  const curves: FigureCurve[] = [];
  for (const group of groups) {
    const points = group.rows.filter((row) => typeof row.case[first.key] === "number").sort((a, b) => (a.case[first.key] as number) - (b.case[first.key] as number));
    if (points.length < 2) continue;
    const x_of = (rows: Figure[]): number[] => rows.map((row) => row.case[first.key] as number);
    curves.push({ who: "ours", settings: group.settings, x: x_of(points), y: points.map((row) => row.ours as number) });
    const published = points.filter((row) => row.paper !== null);
    if (published.length > 0) curves.push({ who: "paper", settings: group.settings, x: x_of(published), y: published.map((row) => row.paper as number) });
    if (is_label(first.key)) for (const curve of curves) curve.dots = true;
  }
  if (curves.length === 0) return [];
  const shown = unit_text(own[0]?.unit ?? "");
  return [curves_chart(curves, `${as_words(quantity)} over ${as_words(first.key)}`, x_label, shown ? `${as_words(quantity)} in ${shown}` : as_words(quantity))];
}

/** Where no number varies: ours over the paper's, 1 where they agree. */
function ratio_chart(rows: Figure[]): HTMLElement[] {
  const published = rows.filter((row) => row.paper !== null && row.paper !== 0 && row.ours !== null);
  if (published.length < 3) return [];
  const y = published.map((row) => (row.ours as number) / (row.paper as number));
  const curve = { label: "ours ÷ paper", x: y.map((_, i) => i + 1), y, marks_only: true };
  const title = "Our figures over those of the paper, in the order of the table";
  return [chart(() => [curve], { title, x_label: "number of the figure", y_label: "ours ÷ paper" }).figure];
}

export function experiment_charts(experiment: Experiment): HTMLElement[] {
  const quantities = [...new Set(experiment.rows.filter((row) => row.case["claim"] === undefined).map((row) => row.quantity))];
  const found = quantities.flatMap((quantity) => charts_of(experiment, quantity)).slice(0, 8);
  return found.length > 0 ? found : ratio_chart(experiment.rows);
}
