// Plots of recorded variables, with a choice of what each shows.

import { type Column, type Run, find_column, series } from "./data";
import { el } from "./dom";
import { unit as unit_text } from "./format";
import { type Curve, PlotGroup, TimePlot } from "./plot";

export async function curve_of(run: Run, column: Column, label = column.name): Promise<Curve> {
  const table = run.tables.results;
  if (!table) throw new Error("no results");
  const curve: Curve = {
    label,
    unit: column.kind === "text" ? `${column.name} ` : column.unit,
    samples: await series(table, column),
    held: column.kind !== "number",
  };
  if (column.texts) curve.texts = column.texts;
  const { motion } = run.tables;
  const bar = find_column(motion, column.name);
  if (motion && bar && column.kind === "number") curve.band = await series(motion, bar);
  return curve;
}

/** Variables that belong together: the same unit and the same port name; at most so many. */
export function first_choices(columns: Column[], most_plots = 4, most_curves = 6): string[][] {
  const groups = new Map<string, string[]>();
  for (const column of columns) {
    const key = column.kind === "text" ? "text" : column.unit;
    const group = groups.get(key) ?? [];
    if (group.length < most_curves) group.push(column.name);
    groups.set(key, group);
  }
  const order = [...groups.entries()].sort((a, b) => rank(a[0]) - rank(b[0]));
  return order.slice(0, most_plots).map(([, names]) => names);
}
/** What moves comes first, then what pushes. */
function rank(unit: string): number {
  const place = ["m", "rad", "m/s", "rad/s", "V", "A", "N", "Pa"].indexOf(unit);
  return place >= 0 ? place : unit === "text" ? 99 : 50;
}

let plot_number = 0;

class ChosenPlot {
  readonly element: HTMLElement;
  readonly plot: TimePlot;
  private readonly chosen = new Set<string>();

  constructor(
    private readonly columns: Column[],
    private readonly load: (column: Column) => Promise<Curve[]>,
    names: string[],
    group: PlotGroup,
    on_remove: (self: ChosenPlot) => void,
  ) {
    for (const name of names) this.chosen.add(name);
    const id = ++plot_number;
    this.plot = new TimePlot({ title: `Plot ${id}`, group });
    const list = el("ul", { class: "choices" });
    const search = el("input", { type: "search", placeholder: "Find a variable", "aria-label": "Find a variable" });
    const fill = (): void => {
      const wanted = search.value.toLowerCase();
      const fitting = columns.filter((column) => column.name.toLowerCase().includes(wanted)).slice(0, 200);
      list.replaceChildren(...fitting.map((column) => this.choice(column)));
    };
    search.addEventListener("input", fill);
    const details = el("details", { class: "picker no-print" }, el("summary", {}, "Variables"), search, list);
    details.addEventListener("toggle", () => {
      if (details.open) fill();
    });
    const buttons = el(
      "div",
      { class: "buttons no-print" },
      details,
      el("button", { type: "button", "aria-label": "Zoom in", click: () => this.plot.zoom(0.5) }, "+"),
      el("button", { type: "button", "aria-label": "Zoom out", click: () => this.plot.zoom(2) }, "−"),
      el("button", { type: "button", "aria-label": "Earlier", click: () => this.plot.pan(-0.5) }, "◀"),
      el("button", { type: "button", "aria-label": "Later", click: () => this.plot.pan(0.5) }, "▶"),
      el("button", { type: "button", click: () => this.plot.reset() }, "Show all"),
      el("button", { type: "button", "aria-label": `Remove plot ${id}`, click: () => on_remove(this) }, "Remove"),
    );
    this.element = el("div", { class: "chosen-plot" }, buttons, this.plot.element);
    void this.draw();
  }

  private choice(column: Column): HTMLElement {
    const box = el("input", { type: "checkbox", checked: this.chosen.has(column.name) });
    box.addEventListener("change", () => {
      if (box.checked) this.chosen.add(column.name);
      else this.chosen.delete(column.name);
      void this.draw();
    });
    const shown = unit_text(column.unit);
    return el("li", {}, el("label", { title: column.description ?? "" }, box, ` ${column.name}`, shown ? el("span", { class: "unit" }, ` in ${shown}`) : null));
  }

  private async draw(): Promise<void> {
    const wanted = this.columns.filter((column) => this.chosen.has(column.name));
    const curves = await Promise.all(wanted.map((column) => this.load(column)));
    const title = wanted.map((column) => column.name).join(", ");
    const caption = this.plot.element.querySelector("figcaption");
    if (caption) caption.textContent = title.length > 90 ? `${wanted.length} variables` : title;
    this.plot.set(curves.flat());
  }
}

export const shown_plots: TimePlot[] = []; // for tests

export function variable_plots(columns: Column[], load: (column: Column) => Promise<Curve[]>, choices: string[][]): HTMLElement {
  const group = new PlotGroup();
  const place = el("div", { class: "plots" });
  const add = (names: string[]): void => {
    const chosen = new ChosenPlot(columns, load, names, group, (self) => {
      self.plot.dispose();
      self.element.remove();
    });
    shown_plots.push(chosen.plot);
    place.append(chosen.element);
  };
  for (const names of choices) add(names);
  const first = columns[0];
  return el(
    "div",
    {},
    el("p", { class: "key no-print" }, "Drag: zoom · Shift+drag: pan · Double-click: reset. Click a plot first to use wheel, + −, arrows, 0."),
    place,
    first ? el("button", { type: "button", class: "no-print", click: () => add([first.name]) }, "Add a plot") : null,
  );
}
