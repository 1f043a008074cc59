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

const range_of = (column: Column): number => (column.high ?? 0) - (column.low ?? 0);
/** Beside a range that is so many times as large, a curve is a flat line. */
const flat = 20;

/** Variables that can be seen beside each other: the same unit and ranges of about one size; what does not change comes last. At most
 *  so many plots and curves. */
export function first_choices(columns: Column[], most_plots = 4, most_curves = 6): string[][] {
  const units = new Map<string, Column[]>();
  for (const column of columns) {
    const key = column.kind === "text" ? "text" : column.unit;
    units.set(key, [...(units.get(key) ?? []), column]);
  }
  const groups: { unit: string; nth: number; still: boolean; names: string[] }[] = [];
  for (const [unit, of_unit] of units) {
    const known = of_unit.every((column) => column.low !== undefined);
    const moving = known ? of_unit.filter((column) => range_of(column) > 0) : of_unit;
    let rest = moving.length > 0 ? moving : of_unit;
    const of_size: Column[][] = [];
    while (rest.length > 0 && of_size.length < most_plots) {
      const largest = rest.reduce((most, column) => Math.max(most, range_of(column)), 0);
      const together = known ? rest.filter((column) => range_of(column) * flat >= largest) : rest;
      of_size.push(together);
      const taken = new Set(together);
      rest = rest.filter((column) => !taken.has(column));
    }
    // Where most of them are is what the system does; a distance travelled is beside it.
    of_size.sort((a, b) => b.length - a.length);
    of_size.forEach((together, nth) => groups.push({ unit, nth, still: moving.length === 0, names: together.slice(0, most_curves).map((column) => column.name) }));
  }
  // A plot of lines that are level shows nothing, unless there is nothing else.
  const shown = groups.some((group) => !group.still) ? groups.filter((group) => !group.still) : groups;
  shown.sort((a, b) => a.nth - b.nth || rank(a.unit) - rank(b.unit));
  return shown.slice(0, most_plots).map((group) => group.names);
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
    const list = el("div", { class: "choices" });
    const search = el("input", { type: "search", placeholder: "Find a variable", "aria-label": "Find a variable" });
    const fill = (): void => {
      const wanted = search.value.trim().toLowerCase();
      if (wanted === "") list.replaceChildren(this.tree());
      else list.replaceChildren(this.flat_list(columns.filter((column) => column.name.toLowerCase().includes(wanted))));
    };
    search.addEventListener("input", fill);
    const details = el("details", { class: "picker" }, el("summary", {}, "Variables"), search, list);
    details.addEventListener("toggle", () => {
      if (details.open) fill();
    });
    this.plot.tools.prepend(details);
    this.plot.tools.append(el("button", { type: "button", "aria-label": `Remove plot ${id}`, click: () => on_remove(this) }, "Remove"));
    this.element = el("div", { class: "chosen-plot" }, this.plot.element);
    void this.draw();
  }

  private flat_list(fitting: Column[]): HTMLElement {
    const most = 200;
    const more = fitting.length - most;
    return el(
      "ul",
      {},
      ...fitting.slice(0, most).map((column) => this.choice(column)),
      fitting.length === 0 ? el("li", {}, "No variable has such a name.") : null,
      more > 0 ? el("li", {}, `… and ${more} more: write more of the name.`) : null,
    );
  }

  /** Subsystems, and below each its variables, which are made when it is opened. */
  private tree(): HTMLElement {
    const nodes = new Map<string, Column[]>();
    for (const column of this.columns) {
      const list = nodes.get(column.node);
      if (list) list.push(column);
      else nodes.set(column.node, [column]);
    }
    const entries = [...nodes.entries()].map(([name, of_node]) => {
      const chosen = of_node.some((column) => this.chosen.has(column.name));
      const entry = el("details", { open: chosen || nodes.size <= 3 }, el("summary", {}, `${name} (${of_node.length})`));
      const open = (): void => {
        if (entry.open && entry.childElementCount === 1) entry.append(this.flat_list(of_node));
      };
      entry.addEventListener("toggle", open);
      open();
      return entry;
    });
    return el("div", { class: "tree" }, ...entries);
  }

  private choice(column: Column): HTMLElement {
    const box = el("input", { type: "checkbox", checked: this.chosen.has(column.name) });
    box.addEventListener("change", () => {
      if (box.checked) this.chosen.add(column.name);
      else this.chosen.delete(column.name);
      void this.draw();
    });
    const shown = unit_text(column.unit);
    return el("li", {}, el("label", { title: column.description ?? "" }, box, ` ${column.name}`, shown ? el("span", { class: "unit" }, ` [${shown}]`) : null));
  }

  private async draw(): Promise<void> {
    const wanted = this.columns.filter((column) => this.chosen.has(column.name));
    const curves = await Promise.all(wanted.map((column) => this.load(column)));
    const title = wanted.map((column) => column.name).join(", ");
    this.plot.title = title.length > 90 ? `${wanted.length} variables` : title;
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
