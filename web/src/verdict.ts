// The verdict in plain words, and what to try next.

import type { Run, Summary } from "./data";
import { el } from "./dom";
import { count, number, percent, seconds, with_unit } from "./format";

const meanings: Record<string, { mark: string; sentence: string }> = {
  reliable: { mark: "✓", sentence: "These results can be relied on: a second run with another step size agrees within the accuracy asked for." },
  consistent: { mark: "≈", sentence: "The energy balance closes; the motion was not checked against another step size." },
  doubtful: { mark: "?", sentence: "Part of these results may be wrong. See below where, and by how much." },
  unreliable: { mark: "✗", sentence: "Do not rely on these results: the error of the coupling is too large." },
  "not monitored": { mark: "–", sentence: "No evidence available: the system has no power bond at which artificial energy could be measured." },
  unfinished: { mark: "…", sentence: "There is no summary: the run was killed, or is still running. The page shows what it has written so far." },
};

export function verdict_value(summary: Summary | null): string {
  return summary ? (summary.verdict?.value ?? "not monitored") : "unfinished";
}

/** What a word means for this run: what is consistent was checked where a solver inside keeps its steps. */
function meaning_of(value: string, summary: Summary | null): string {
  if (value === "consistent" && summary?.motion?.checked)
    return "The coupling was checked against another step size; solvers inside of subsystems keep their own steps, whose errors nobody has seen.";
  return meanings[value]?.sentence ?? "";
}

export function verdict_badge(value: string): HTMLElement {
  const meaning = meanings[value];
  return el(
    "span",
    { class: "badge", "data-verdict": value },
    el("span", { class: "mark", "aria-hidden": "true" }, meaning?.mark ?? "?"),
    el("span", { class: "word" }, value),
  );
}

/** What a user can change, in the order in which it helps. */
export function advice(run: Run): string[] {
  const { summary } = run;
  if (!summary) return ["Wait for the end of the run, or start it again; then make the report again."];
  if (summary.failure) {
    return [
      ...(summary.verdict?.try ? [summary.verdict.try] : []),
      `Look at '${summary.failure.subsystem}' just before t = ${seconds(summary.failure.time_s)}: zoom into its variables below.`,
      ...(summary.verdict?.try ? [] : ["Try a smaller communication step (--step-size), or a semi-implicit or implicit scheme if the subsystems can roll back."]),
    ];
  }
  const value = verdict_value(summary);
  const told = summary.verdict?.try;
  if (told) return [told];
  if (value === "reliable") return [];
  if (value === "consistent") return ["Run it at half the step size (--step-size) and compare both: ergon compare DIR1 DIR2."];
  if (value === "not monitored") return ["Declare the connections that carry power as [[bond]]s: effort one way, flow the other."];
  const bonds = [...new Set((summary.verdict?.reasons ?? []).map((reason) => reason.bond).filter((b): b is string => !!b))];
  const tips: string[] = [];
  for (const bond of bonds.slice(0, 3)) {
    const text = run.scenario.split("[[bond]]").find((part) => part.includes(`name = "${bond}"`)) ?? "";
    if (/feedthrough = "(stale|predict)"/.test(text))
      tips.push(`Evaluate the force of bond '${bond}' again once the motion is known: --set bond.${bond}.feedthrough=refresh`);
    if (!summary.bonds?.[bond]?.correction)
      tips.push(`Remove the artificial energy of bond '${bond}': --set 'bond.${bond}.correction={method="residual-power"}'`);
  }
  tips.push("Halve the step size (--step-size), and compare: ergon compare DIR1 DIR2.");
  return tips;
}

/** Of a run whose motion was checked, or could not be, the reasons tell, in the words of the terminal. */
function motion_sentence(summary: Summary): string | null {
  const { motion } = summary;
  if (!motion || motion.checked || (summary.verdict?.reasons ?? []).some((reason) => reason.kind === "motion")) return null;
  return motion.why_not ? `Motion not checked: ${motion.why_not}.` : "Motion not checked.";
}

/** The estimated error of every variable, the one that exceeds its accuracy most first. */
export function error_table(summary: Summary): HTMLElement | null {
  const variables = Object.entries(summary.motion?.variables ?? {});
  if (variables.length === 0) return null;
  variables.sort(([, a], [, b]) => (b.excess ?? -1) - (a.excess ?? -1));
  const head = ["variable", "largest error", "of half its range", "accuracy", "at"];
  return el(
    "details",
    { class: "errors" },
    el("summary", {}, "Error per variable"),
    el(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Error per variable" },
      el(
        "table",
        {},
        el("thead", {}, el("tr", {}, ...head.map((name) => el("th", { scope: "col" }, name)))),
        el(
          "tbody",
          {},
          ...variables.map(([name, v]) =>
            el(
              "tr",
              { "data-missed": (v.excess ?? 0) > 1 ? "true" : "false" },
              el("th", { scope: "row" }, name),
              el("td", {}, v.largest_error === null ? "not finite" : with_unit(v.largest_error, v.unit, 3)),
              el("td", {}, v.ratio === null ? "at rest" : percent(v.ratio)),
              el("td", {}, v.judged ? (v.accuracy ?? "") : "any"),
              el("td", {}, seconds(v.at_s)),
            ),
          ),
        ),
      ),
    ),
  );
}

/** Nothing comes in from outside of the bonds, so that drift is an error. */
function is_closed(run: Run): boolean {
  const { system } = run;
  if (!system) return true;
  const nodes = Array.isArray(system.nodes) ? system.nodes : [];
  return !(system.signals?.length > 0) && !nodes.some((node) => node?.model?.startsWith("source."));
}

export function figures(run: Run): [string, string][] {
  const { summary } = run;
  const list: [string, string][] = [];
  if (!summary) return [["rows written", count(run.tables.results?.rows ?? 0)]];
  list.push(["status", summary.status]);
  list.push(["simulated", `${number(summary.start_time_s, 6)} to ${with_unit(summary.reached_time_s, "s", 6)}`]);
  list.push(["communication points", count(summary.points)]);
  list.push(["wall time", seconds(summary.wall_time_s, 3)]);
  if (summary.energy) {
    list.push(["energy at the start", with_unit(summary.energy.initial_stored_J, "J", 6)]);
    list.push(["energy at the end", with_unit(summary.energy.final_stored_J, "J", 6)]);
    list.push(["dissipated", with_unit(summary.energy.dissipated_J, "J", 6)]);
    if (summary.energy.supplied_J) list.push(["supplied inside", with_unit(summary.energy.supplied_J, "J", 6)]);
    if (summary.energy.max_drift_J !== undefined && is_closed(run)) list.push(["largest drift", with_unit(summary.energy.max_drift_J, "J", 6)]);
  }
  return list;
}

export function verdict_card(run: Run): HTMLElement {
  const { summary } = run;
  const value = verdict_value(summary);
  const reasons = summary?.verdict?.reasons ?? [];
  const tips = advice(run);
  const motion = summary ? motion_sentence(summary) : null;
  return el(
    "div",
    { class: "verdict", "data-verdict": value, id: "verdict-card" },
    el("p", { class: "headline" }, verdict_badge(value)),
    reasons.length > 0 && value !== "not monitored" ? null : el("p", { class: "sentence" }, meaning_of(value, summary)),
    summary?.failure
      ? el("p", { class: "failure" }, `The run failed: '${summary.failure.subsystem}' at t = ${seconds(summary.failure.time_s, 6)}: ${summary.failure.what}.`)
      : null,
    motion ? el("p", { class: "motion" }, motion) : null,
    reasons.length > 0 ? el("ul", { class: "reasons" }, ...reasons.map((r) => el("li", { "data-says": r.says }, r.what))) : null,
    summary ? error_table(summary) : null,
    tips.length > 0 ? el("div", { class: "tips" }, el("h3", {}, "What to try next"), el("ul", {}, ...tips.map((tip) => el("li", {}, tip)))) : null,
    el("dl", { class: "figures" }, ...figures(run).flatMap(([name, shown]) => [el("div", {}, el("dt", {}, name), el("dd", {}, shown))])),
  );
}
