// The page of a convergence study: errors over steps, orders, and whose step makes the error.

import { chart } from "./chart";
import type { ConvergenceStudy, ConvergenceVariable, PageData } from "./data";
import { el, section, table } from "./dom";
import { number, unit } from "./format";

const words: Record<string, string> = {
  none: "",
  still: "does not move",
  "round-off": "round-off",
  "solver-noise": "noise of the solvers inside",
  event: "an event",
  "too-coarse": "steps too long: no order yet",
  diverges: "differences grow: unstable or chaotic",
};

const relative = (v: ConvergenceVariable, k: number): number => (v.bars[k] ?? NaN) / (v.half_range ?? NaN);
const percent = (value: number): string => (Number.isFinite(value) ? `${number(100 * value, 3)} %` : "–");

function lost(v: ConvergenceVariable): string {
  const where = v.lost_at_step_s !== undefined ? `from ${number(v.lost_at_step_s, 3)} s on: ` : "";
  const when = v.lost_at_s !== undefined ? ` at about t = ${number(v.lost_at_s, 4)} s` : "";
  return v.loss === "none" ? "" : where + (words[v.loss] ?? v.loss) + when;
}

/** So many curves can be told apart; the table has all variables. */
const most_curves = 7;

export function converge_page(data: PageData): HTMLElement[] {
  const study = data.study as ConvergenceStudy;
  if (study.failure) return [section("errors", "Convergence", el("p", { class: "failure" }, `Fewer than three step sizes gave a result: ${study.failure}.`))];
  const last = study.steps_s.length - 1;
  const moving = study.variables.filter((v) => v.loss !== "still").sort((a, b) => relative(b, 0) - relative(a, 0));
  const shown = moving.filter((v) => Number.isFinite(relative(v, 0)) && relative(v, 0) > 0).slice(0, most_curves);
  const curves = shown.map((v) => ({ label: v.name, x: study.steps_s, y: study.steps_s.map((_, k) => (v.errors[k] ?? NaN) / (v.half_range ?? NaN)) }));
  const steps = study.steps_for_accuracy.map((s) => [percent(s.accuracy), s.step_s === null ? "no step can be given" : `${number(s.step_s, 3)} s`, s.variable]);
  const rows = moving.map((v) => [
    v.name,
    v.order === null ? "–" : number(v.order, 3),
    percent(relative(v, 0)),
    percent(relative(v, last)),
    `${number(v.last_value, 7)} ± ${number(v.last_value_bar, 2)} ${unit(v.unit)}`,
    lost(v),
  ]);
  const shares = [...study.subsystems]
    .sort((a, b) => (b.change ?? 0) - (a.change ?? 0))
    .map((s) => (s.failure ? [s.name, `${number(s.step_s, 3)} s`, "–", s.failure, ""] : [s.name, `${number(s.step_s, 3)} s`, percent(s.change ?? NaN), s.variable, percent(s.share ?? NaN)]));
  return [
    section(
      "errors",
      "Error over step size",
      el("p", { class: "small" }, `Estimated errors relative to half the range, largest of ${study.samples} times up to t = ${number(study.compared_to_s)} s; steps from ${number(study.steps_s[0], 3)} s to ${number(study.steps_s[last], 3)} s.`),
      el("div", { class: "charts" }, chart(() => curves, { title: "Estimated error of the least accurate variables", x_label: "longest step in s", y_label: "error ÷ half the range", logarithmic: true }).figure),
    ),
    section("steps", "Step for an accuracy", table(["accuracy", "step", "needed by"], steps)),
    section("orders", "Orders and extrapolated values", table(["variable", "order", "error at H", "error at the smallest step", "last value, extrapolated", "order lost"], rows)),
    ...(shares.length > 0
      ? [section("subsystems", "Whose step makes the error?", el("p", { class: "small" }, "Half the step of one subsystem alone, all others as they are: what that changes most, and its part of what halving all steps changes there."), table(["subsystem", "step", "change", "of", "part of all"], shares))]
      : []),
  ];
}
