// The page of a sweep: what varied, what came out, and which runs did not.

import type { PageData, SweepStudy } from "./data";
import { el, section, table } from "./dom";
import { number } from "./format";
import { band_plot, main_effects, parallel_plot, response_plot, scatter_matrix, sobol_chart } from "./sweep_plots";
import { runs_of, verdict_colour, verdict_order, type Runs } from "./study_data";
import { on_look } from "./theme";

/** So many runs that did not get to their end are listed. */
const most_failures = 100;

function value_text(runs: Runs, name: string, run: number): string {
  const quantity = runs.quantity(name);
  const value = quantity.values[run] as number;
  return quantity.words ? (quantity.words[value] ?? "") : number(value, 6);
}

/** As a shell takes it, whatever the value. */
const quoted = (text: string): string => (/^[\w.=/:+-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);

function exact_text(runs: Runs, name: string, run: number): string {
  const quantity = runs.quantity(name);
  const value = quantity.values[run] as number;
  return quantity.words ? (quantity.words[value] ?? "") : String(value);
}

function run_card(runs: Runs, run: number): HTMLElement[] {
  const { study } = runs;
  const name = String(runs.numbers[run]).padStart(6, "0");
  const text = (column: string): string => runs.texts.get(column)?.[run] ?? "";
  const settings = [...study.overrides, ...study.settings.map((s) => `${s}=${exact_text(runs, s, run)}`)];
  const command = `ergon run ${quoted(study.scenario)} ${settings.map((s) => `--set ${quoted(s)}`).join(" ")} --report`;
  const figures = runs.quantities.map((q) => [el("dt", {}, q.name), el("dd", {}, value_text(runs, q.name, run))]).flat();
  return [
    el("h3", {}, `Run ${runs.numbers[run]}: ${text("status")}${text("verdict") ? `, ${text("verdict")}` : ""}`),
    text("message") ? el("p", { class: "failure" }, text("message")) : el("p", { class: "small" }, text("worst") ? `largest error: ${text("worst")}` : ""),
    el("dl", { class: "figures" }, ...figures),
    study.kept
      ? el("p", {}, el("a", { href: `runs/${name}/report.html` }, "Report of this run"))
      : el("div", {}, el("p", { class: "small" }, "Its report is made by:"), el("pre", { class: "command" }, command)),
  ];
}

function filter(runs: Runs): HTMLElement {
  const present = verdict_order.map((_, verdict) => verdict).filter((verdict) => runs.verdicts.includes(verdict));
  const wanted = new Set(present);
  const boxes = present.map((verdict) => {
    const swatch = el("span", { class: "swatch" });
    const paint = (): void => swatch.setAttribute("style", `background:${verdict_colour(verdict)}`);
    paint();
    on_look(paint);
    const count = runs.verdicts.reduce((sum, v) => sum + (v === verdict ? 1 : 0), 0);
    const box = el("input", {
      type: "checkbox",
      checked: true,
      "data-verdict": verdict_order[verdict],
      change: (event) => {
        if ((event.target as HTMLInputElement).checked) wanted.add(verdict);
        else wanted.delete(verdict);
        runs.show_verdicts(wanted);
      },
    });
    return el("label", { class: "choice" }, box, " ", swatch, ` ${verdict_order[verdict]} (${count})`);
  });
  return el("div", { class: "buttons filter", role: "group", "aria-label": "Runs that are shown" }, ...boxes);
}

function overview(study: SweepStudy): HTMLElement[] {
  const counts = Object.entries(study.status).map(([status, count]) => `${count} ${status}`);
  const plan = study.samples > 0 ? `${study.plan}, ${study.samples} samples, seed ${study.seed}` : study.plan;
  return [
    el("p", { class: "sentence" }, `${study.runs} runs of ${study.scenario}: ${counts.join(", ")}.`),
    study.complete ? el("p", { class: "small" }, `plan: ${plan}`) : el("p", { class: "failure" }, "The sweep is not complete: repeat its command, and it goes on."),
    study.measures.length > 0 ? table(["measure", "is"], study.measures.map((m) => [m.name, m.text])) : el("p", { class: "small" }, "No measures: add --measure 'peak=max(load.position)' for figures of your own."),
  ];
}

function failures(runs: Runs): HTMLElement | null {
  const failed: number[] = [];
  for (let i = 0; i < runs.count; ++i) if (runs.verdicts[i] === verdict_order.length - 1) failed.push(i);
  if (failed.length === 0) return null;
  const settings = runs.study.settings;
  const rows = failed.slice(0, most_failures).map((i) => [
    String(runs.numbers[i]),
    ...settings.map((s) => value_text(runs, s, i)),
    runs.texts.get("status")?.[i] ?? "",
    runs.texts.get("message")?.[i] ?? "",
  ]);
  const more = failed.length > most_failures ? el("p", { class: "small" }, `and ${failed.length - most_failures} more in runs.csv`) : null;
  return section("failures", "Runs without result", table(["run", ...settings, "status", "message"], rows), more);
}

export function sweep_page(data: PageData): HTMLElement[] {
  const study = data.study as SweepStudy;
  const first = section("overview", "Sweep", ...overview(study));
  const chosen = el("section", { class: "chosen-run", hidden: true, tabindex: -1, "aria-label": "Chosen run" });
  const part = (id: string, title: string, note: string): { whole: HTMLElement; body: HTMLElement } => {
    const body = el("div", { class: "plots" });
    return { whole: section(id, title, note ? el("p", { class: "small" }, note) : null, body), body };
  };
  const responses = part("responses", "Responses", "A mark per run; click one to see it.");
  const effects = part("effects", "Main effects", "The mean of an outcome over the values of one setting, all others as they come; drawn values in tenths.");
  const parallel = part("parallel", "Parallel coordinates", "A line per run.");
  const matrix = part("matrix", "Scatter matrix", "");
  const sobol = part("indices", "Sobol indices", "How much of the variance of a measure each setting makes, by itself and with what it acts together with.");
  const bands = part("bands", "Bands", "All whole runs, whatever the filter.");
  const indices = Object.entries(study.sobol_indices ?? {}).filter(([, list]) => list.length > 0);
  const parts = [first, responses.whole, chosen, effects.whole, ...(indices.length > 0 ? [sobol.whole] : []), ...(data.bands ? [bands.whole] : []), parallel.whole, matrix.whole];
  const failed = el("div", {});

  const fill = async (): Promise<void> => {
    if (!data.table || data.table.rows === 0) return;
    const runs = await runs_of(study, data.table);
    first.append(filter(runs));
    const choose = (run: number): void => {
      chosen.hidden = false;
      chosen.replaceChildren(...run_card(runs, run));
      chosen.scrollIntoView({ block: "nearest" });
    };
    responses.body.append(response_plot(runs, choose));
    if (runs.outcomes.length > 0) effects.body.append(main_effects(runs));
    parallel.body.append(parallel_plot(runs));
    matrix.body.append(scatter_matrix(runs));
    for (const [name, list] of indices) sobol.body.append(sobol_chart(name, list));
    const list = failures(runs);
    if (list) failed.replaceWith(list);
    if (data.bands) {
      const outputs = [...new Set(data.bands.columns.slice(1).map((c) => c.name.replace(/\.q\d+$/, "")))];
      for (const output of outputs) bands.body.append(await band_plot(data.bands, output));
    }
    document.documentElement.dataset["drawn"] = "yes"; // what tests wait for
  };
  void fill();
  return [...parts, failed];
}
