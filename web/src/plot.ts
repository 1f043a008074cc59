// A plot over time: several variables, an axis per unit, zoom, pan, cursor, error bands and shaded intervals, a table of figures, and
// what is in view as picture or table to take along.

import uPlot from "uplot";
import { type Series } from "./data";
import { move_cursor, on_cursor } from "./cursor";
import { in_view, joined, lower_bound, value_at } from "./decimate";
import { el, on_resize, table } from "./dom";
import { csv_field, download, file_name } from "./download";
import { number, unit as unit_text } from "./format";
import { plot_svg } from "./plot_svg";
import { look, on_look, series_colour, series_dash } from "./theme";

export interface Curve {
  label: string;
  unit: string;
  samples: Series;
  held?: boolean; // whole numbers and texts: steps
  texts?: string[];
  band?: Series; // half height of the error band, at times of its own
  points?: boolean; // marks only
}
export interface Shade {
  from: number;
  to: number;
  kind: "doubtful" | "unreliable";
  what: string;
}
export interface PlotOptions {
  title: string;
  x_label?: string;
  shades?: Shade[];
  height?: number;
  group?: PlotGroup;
}

/** Plots that show the same stretch of time. */
export class PlotGroup {
  private readonly plots: TimePlot[] = [];
  add(plot: TimePlot): void {
    this.plots.push(plot);
  }
  remove(plot: TimePlot): void {
    this.plots.splice(this.plots.indexOf(plot), 1);
  }
  show(from: number, to: number, source: TimePlot): void {
    for (const plot of this.plots) if (plot !== source) plot.show(from, to, false);
  }
}

const help =
  "Drag or wheel: zoom · Shift+drag: pan · Double-click: reset. Keys: + and − zoom, arrows pan, 0 resets.";

export class TimePlot {
  readonly element: HTMLElement;
  /** Buttons; others may add theirs. */
  readonly tools: HTMLElement;
  private readonly caption: HTMLElement;
  private readonly canvas: HTMLElement;
  private readonly legend: HTMLElement;
  private readonly figures: HTMLDetailsElement;
  private readonly forget: () => void;
  private plot: uPlot | null = null;
  private curves: Curve[] = [];
  private from = 0;
  private to = 1;
  private all: [number, number] = [0, 1];
  private updating = false;
  private cursor: number | null = null;

  constructor(private readonly options: PlotOptions) {
    this.canvas = el("div", { class: "plot-canvas", tabindex: 0, role: "img", "aria-label": options.title, title: help });
    this.legend = el("ul", { class: "legend", "aria-label": "Legend" });
    this.caption = el("figcaption", {}, options.title);
    const button = (text: string, name: string, click: () => void): HTMLElement =>
      el("button", { type: "button", "aria-label": `${name}: ${options.title}`, title: name, click }, text);
    this.tools = el(
      "div",
      { class: "buttons no-print", role: "toolbar", "aria-label": `Tools of ${options.title}` },
      button("+", "Zoom in", () => this.zoom(0.5)),
      button("−", "Zoom out", () => this.zoom(2)),
      button("◀", "Earlier", () => this.pan(-0.5)),
      button("▶", "Later", () => this.pan(0.5)),
      button("Show all", "Show all", () => this.reset()),
      button("PNG", "Save the picture as PNG", () => void this.save_png()),
      button("SVG", "Save the picture as SVG", () => this.save("svg", this.svg(), "image/svg+xml")),
      button("CSV", "Save what is in view as CSV", () => this.save("csv", this.csv(), "text/csv")),
    );
    this.figures = el("details", { class: "plot-figures" }, el("summary", {}, "Figures"));
    this.figures.addEventListener("toggle", () => this.write_figures());
    this.element = el("figure", { class: "plot" }, this.caption, this.tools, this.legend, this.canvas, this.figures);
    this.forget = on_cursor((time, source) => this.follow(time, source));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    options.group?.add(this);
    on_look(() => this.build());
    on_resize(this.canvas, () => this.resize());
  }

  dispose(): void {
    this.options.group?.remove(this);
    this.forget();
    this.plot?.destroy();
    this.element.remove();
  }

  set title(text: string) {
    this.caption.textContent = text;
  }

  /** What is drawn; the view stays where it is, where it can. */
  set(curves: Curve[]): void {
    const had = this.curves.length > 0;
    const was_all = !had || (this.from === this.all[0] && this.to === this.all[1]);
    this.curves = curves;
    let low = Infinity;
    let high = -Infinity;
    for (const { samples } of curves) {
      if (samples.x.length === 0) continue;
      low = Math.min(low, samples.x[0] as number);
      high = Math.max(high, samples.x[samples.x.length - 1] as number);
    }
    if (!(low < high)) [low, high] = low === high ? [low - 0.5, high + 0.5] : [0, 1];
    this.all = [low, high];
    if (was_all) [this.from, this.to] = this.all;
    this.build();
  }

  show(from: number, to: number, tell = true): void {
    const [low, high] = this.all;
    const width = Math.min(to - from, high - low);
    if (!(width > 0)) return;
    const start = Math.max(low, Math.min(from, high - width));
    this.from = start;
    this.to = start + width;
    if (this.to > high || width === high - low) this.to = high;
    this.update();
    if (tell) this.options.group?.show(this.from, this.to, this);
  }

  reset(): void {
    this.show(this.all[0], this.all[1]);
  }
  /** 0.5: half as much time. */
  zoom(factor: number): void {
    const middle = (this.from + this.to) / 2;
    const half = ((this.to - this.from) * factor) / 2;
    this.show(middle - half, middle + half);
  }
  /** By so many widths of the view. */
  pan(share: number): void {
    const width = this.to - this.from;
    this.show(this.from + share * width, this.to + share * width);
  }

  /** For tests: what is in view. */
  view(): { from: number; to: number; points: number; exact: boolean } {
    const drawn = this.curves.map((curve) => in_view(curve.samples, this.from, this.to, this.columns()));
    return {
      from: this.from,
      to: this.to,
      points: drawn.reduce((sum, d) => sum + d.x.length, 0),
      exact: drawn.every((d) => d.exact),
    };
  }

  private columns(): number {
    return Math.max(200, Math.round(this.canvas.clientWidth));
  }

  private key(event: KeyboardEvent): void {
    const actions: Record<string, () => void> = {
      "+": () => this.zoom(0.5),
      "=": () => this.zoom(0.5),
      "-": () => this.zoom(2),
      "0": () => this.reset(),
      Home: () => this.reset(),
      ArrowLeft: () => this.pan(-0.25),
      ArrowRight: () => this.pan(0.25),
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }

  private data(): uPlot.AlignedData {
    const lists: { x: number[]; y: (number | null)[] }[] = [];
    for (const curve of this.curves) {
      const drawn = in_view(curve.samples, this.from, this.to, this.columns());
      lists.push(drawn);
      if (!curve.band) continue;
      const { band } = curve;
      const bars = drawn.x.map((x) => value_at(band, x, false));
      for (const sign of [1, -1]) {
        const y = drawn.y.map((v, i) => (v === null || Number.isNaN(bars[i]) ? null : v + sign * (bars[i] as number)));
        lists.push({ x: drawn.x, y });
      }
    }
    return joined(lists) as unknown as uPlot.AlignedData;
  }

  private build(): void {
    this.plot?.destroy();
    this.plot = null;
    this.canvas.replaceChildren();
    this.draw_legend();
    if (this.curves.length === 0 || this.canvas.clientWidth === 0) return;
    const current = look();
    const units = [...new Set(this.curves.map((curve) => curve.unit))];
    const font = '12px system-ui, "Segoe UI", sans-serif';
    const narrow = this.canvas.clientWidth < 500;
    const series: uPlot.Series[] = [{}];
    const bands: uPlot.Band[] = [];
    this.curves.forEach((curve, index) => {
      const colour = series_colour(index, current);
      const paths = curve.held ? uPlot.paths.stepped?.({ align: 1 }) : undefined;
      const few = curve.samples.x.length < 60;
      series.push({
        label: curve.label,
        scale: curve.unit,
        stroke: colour,
        width: curve.points ? 0 : 1.5,
        pxAlign: 0,
        dash: series_dash(index),
        points: { show: curve.points || few, size: curve.points ? (curve.samples.x.length > 200 ? 3 : 7) : 5, fill: colour },
        ...(paths ? { paths } : {}),
        ...(curve.points ? { paths: () => null } : {}),
      });
      if (!curve.band) return;
      for (let k = 0; k < 2; ++k) series.push({ scale: curve.unit, width: 0, points: { show: false } });
      bands.push({ series: [series.length - 2, series.length - 1], fill: colour + "38" });
    });
    const axis = { stroke: current.faint, font, labelFont: font, grid: { stroke: current.grid, width: 1 }, ticks: { stroke: current.grid, width: 1 } };
    const values = (_: uPlot, splits: number[]): string[] => splits.map((v) => number(v, 6));
    const axes: uPlot.Axis[] = [{ ...axis, label: this.x_label(), labelSize: 20, size: 34, values: (_, s) => s.map((v) => number(v, 8)) }];
    units.forEach((unit, index) => {
      const texts = this.curves.find((curve) => curve.unit === unit)?.texts;
      axes.push({
        ...axis,
        scale: unit,
        side: index % 2 === 0 ? 3 : 1,
        label: texts ? "" : this.axis_label(unit),
        labelSize: 20,
        size: (_, labels) => axis_width(labels),
        grid: { show: index === 0, stroke: current.grid, width: 1 },
        values: texts ? (_, s) => s.map((v) => texts[v] ?? "") : values,
        ...(texts ? { incrs: [1, 2, 5, 10] } : {}),
      });
    });
    const scales: uPlot.Scales = { x: { time: false, auto: false, min: this.from, max: this.to } };
    for (const unit of units) scales[unit] = { auto: true, range: (_, min, max) => padded(min, max) };
    this.plot = new uPlot(
      {
        width: this.canvas.clientWidth,
        height: this.options.height ?? (narrow ? 240 : 300),
        legend: { show: false },
        scales,
        axes,
        series,
        bands,
        cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { size: 6 }, lock: false },
        hooks: {
          setSelect: [(u) => this.selected(u)],
          setCursor: [(u) => this.moved(u)],
          drawClear: [(u) => this.shade(u)],
          ready: [(u) => this.listen(u)],
        },
      },
      this.data(),
      this.canvas,
    );
    this.update();
  }

  private update(): void {
    if (!this.plot || this.updating) return;
    this.updating = true;
    const plot = this.plot;
    plot.batch(() => {
      plot.setData(this.data(), false);
      plot.setScale("x", { min: this.from, max: this.to });
    });
    this.updating = false;
    this.write_figures();
  }

  private resize(): void {
    const width = this.canvas.clientWidth;
    if (width === 0) return;
    if (!this.plot) this.build();
    else if (Math.abs(this.plot.width - width) > 1) {
      this.plot.setSize({ width, height: this.plot.height });
      this.update();
    }
  }

  private selected(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 3) return;
    const from = plot.posToVal(left, "x");
    const to = plot.posToVal(left + width, "x");
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.show(from, to);
  }

  private listen(plot: uPlot): void {
    const { over } = plot;
    over.addEventListener("dblclick", () => this.reset());
    over.addEventListener(
      "wheel",
      (event) => {
        // A page is scrolled by the wheel unless the plot was chosen, or a key says that the plot is meant.
        if (!event.ctrlKey && document.activeElement !== this.canvas) return;
        event.preventDefault();
        const at = plot.posToVal(event.offsetX, "x");
        const factor = event.deltaY < 0 ? 0.8 : 1.25;
        this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
      },
      { passive: false },
    );
    over.addEventListener("mousedown", (event) => {
      this.canvas.focus({ preventScroll: true });
      if (!event.shiftKey) return;
      event.stopImmediatePropagation();
      const start = event.clientX;
      const [from, to] = [this.from, this.to];
      const scale = (to - from) / over.clientWidth;
      const move = (e: MouseEvent): void => this.show(from - (e.clientX - start) * scale, to - (e.clientX - start) * scale);
      const up = (): void => {
        document.removeEventListener("mousemove", move);
        document.removeEventListener("mouseup", up);
      };
      document.addEventListener("mousemove", move);
      document.addEventListener("mouseup", up);
    }, true);
  }

  private moved(plot: uPlot): void {
    const { left } = plot.cursor;
    this.cursor = left === undefined || left === null || left < 0 ? null : plot.posToVal(left, "x");
    this.write_values();
    if (!this.updating && this.is_over_time()) move_cursor(this.cursor, this);
  }

  private is_over_time(): boolean {
    return this.options.x_label === undefined;
  }

  /** The time line that another plot or the animation has moved. */
  private follow(time: number | null, source: unknown): void {
    if (source === this || !this.plot || !this.is_over_time()) return;
    this.cursor = time !== null && time >= this.all[0] && time <= this.all[1] ? time : null;
    const visible = this.cursor !== null && this.cursor >= this.from && this.cursor <= this.to;
    const left = visible ? this.plot.valToPos(this.cursor as number, "x") : -10;
    this.plot.setCursor({ left, top: visible ? 0 : -10 }, false);
    this.write_values();
  }

  /** For tests: where the time line is. */
  cursor_time(): number | null {
    return this.cursor;
  }

  private x_label(): string {
    return this.options.x_label ?? "time [s]";
  }

  /** "position [m]"; of several quantities of one unit their names, as far as there is room for them. */
  private axis_label(unit: string): string {
    const labels = this.curves.filter((curve) => curve.unit === unit).map((curve) => curve.label);
    const shown = unit_text(unit);
    // Of subsystems, runs and sums the unit tells what it is.
    const usual = labels.every((label) => !label.includes(".")) ? { J: "energy", W: "power" }[unit] : undefined;
    const names = usual ? [usual] : [...new Set(labels.map(quantity_of))];
    const text = names.join(", ");
    return [text.length <= 40 ? text : "", shown ? `[${shown}]` : ""].filter((part) => part !== "").join(" ");
  }

  private write_figures(): void {
    if (!this.figures.open) return;
    const rows = this.curves.map((curve) => {
      const f = figures_of(curve, this.from, this.to);
      const shown = unit_text(curve.unit);
      return [
        shown ? `${curve.label} [${shown}]` : curve.label,
        ...(curve.texts ? ["–", "–", "–", "–"] : [f.error === null ? "–" : number(f.error, 3), number(f.low, 6), number(f.high, 6), number(f.rms, 6)]),
      ];
    });
    const caption = `From ${number(this.from, 6)} to ${number(this.to, 6)} s`;
    this.figures.replaceChildren(
      this.figures.firstElementChild as Element,
      table(["variable", "largest error", "minimum", "maximum", "root mean square"], rows, this.is_over_time() ? caption : undefined),
    );
  }

  private save(ending: string, text: string, type: string): void {
    download(file_name(this.caption.textContent ?? "plot", ending), new Blob([text], { type }));
  }

  /** Everything that is in view, sample by sample; a variable without a sample at a time has an empty field. */
  csv(): string {
    const lists = this.curves.flatMap((curve) => {
      const label = unit_text(curve.unit) && !curve.texts ? `${curve.label} [${curve.unit}]` : curve.label;
      const own = { label, samples: curve.samples, texts: curve.texts };
      return curve.band ? [own, { label: `error of ${label}`, samples: curve.band, texts: undefined }] : [own];
    });
    const rows = new Map<number, (string | undefined)[]>();
    lists.forEach(({ samples, texts }, index) => {
      for (let i = lower_bound(samples.x, this.from); i < samples.x.length && (samples.x[i] as number) <= this.to; ++i) {
        const x = samples.x[i] as number;
        let row = rows.get(x);
        if (!row) rows.set(x, (row = []));
        const y = samples.y[i] as number;
        row[index] = texts ? csv_field(texts[y] ?? "") : Number.isNaN(y) ? "" : String(y);
      }
    });
    const lines = [[csv_field(this.is_over_time() ? "time" : this.x_label()), ...lists.map((list) => csv_field(list.label))].join(",")];
    for (const x of [...rows.keys()].sort((a, b) => a - b)) {
      const row = rows.get(x) ?? [];
      lines.push([String(x), ...lists.map((_, index) => row[index] ?? "")].join(","));
    }
    return lines.join("\n") + "\n";
  }

  svg(): string {
    const units = [...new Set(this.curves.map((curve) => curve.unit))];
    return plot_svg({
      title: this.caption.textContent ?? "",
      x_label: this.x_label(),
      from: this.from,
      to: this.to,
      axes: units.map((unit) => {
        const scale = this.plot?.scales[unit];
        const texts = this.curves.find((curve) => curve.unit === unit)?.texts;
        return { unit, label: texts ? "" : this.axis_label(unit), low: scale?.min ?? -1, high: scale?.max ?? 1, ...(texts ? { texts } : {}) };
      }),
      curves: this.curves.map((curve, index) => ({
        label: unit_text(curve.unit) && !curve.texts ? `${curve.label} [${unit_text(curve.unit)}]` : curve.label,
        unit: curve.unit,
        colour: series_colour(index),
        dash: series_dash(index),
        held: curve.held ?? false,
        marks: curve.points ?? false,
        drawn: in_view(curve.samples, this.from, this.to, 800),
      })),
      look: look(),
    });
  }

  private async save_png(): Promise<void> {
    const image = new Image();
    image.src = URL.createObjectURL(new Blob([this.svg()], { type: "image/svg+xml" }));
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(image.src);
    canvas.toBlob((blob) => {
      if (blob) download(file_name(this.caption.textContent ?? "plot", "png"), blob);
    });
  }

  private draw_legend(): void {
    const current = look();
    this.legend.replaceChildren(
      ...this.curves.map((curve, index) => {
        const colour = series_colour(index, current);
        const dash = series_dash(index);
        const line = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        line.setAttribute("width", "26");
        line.setAttribute("height", "10");
        line.setAttribute("aria-hidden", "true");
        const stroke = document.createElementNS("http://www.w3.org/2000/svg", "line");
        for (const [name, value] of Object.entries({ x1: 1, x2: 25, y1: 5, y2: 5, stroke: colour, "stroke-width": 2.5, "stroke-dasharray": dash.join(" ") }))
          stroke.setAttribute(name, String(value));
        line.append(stroke);
        const shown = unit_text(curve.unit);
        return el("li", {}, line, el("span", { class: "name" }, curve.label), shown ? el("span", { class: "unit" }, ` [${shown}]`) : null, el("output", { class: "value" }));
      }),
      el("li", { class: "when" }, el("output", { class: "value" })),
    );
  }

  private write_values(): void {
    const outputs = this.legend.querySelectorAll("output");
    this.curves.forEach((curve, index) => {
      const output = outputs[index];
      if (!output) return;
      if (this.cursor === null) output.textContent = "";
      else {
        const value = value_at(curve.samples, this.cursor, curve.held ?? false);
        output.textContent = ` ${curve.texts ? (curve.texts[value] ?? "–") : number(value, 6)}`;
      }
    });
    const when = outputs[this.curves.length];
    if (when) when.textContent = this.cursor === null ? "" : `at ${number(this.cursor, 6)} s`;
  }

  private shade(plot: uPlot): void {
    const current = look();
    const { ctx, bbox } = plot;
    for (const shade of this.options.shades ?? []) {
      const from = Math.max(this.from, shade.from);
      const to = Math.min(this.to, shade.to);
      if (!(to >= from)) continue;
      const left = plot.valToPos(from, "x", true);
      const width = Math.max(2, plot.valToPos(to, "x", true) - left);
      ctx.fillStyle = current.shade[shade.kind];
      ctx.fillRect(left, bbox.top, width, bbox.height);
    }
  }
}

/** "left.position[2]" → "position" */
function quantity_of(label: string): string {
  const name = label.split(",")[0] as string;
  return name.slice(name.lastIndexOf(".") + 1).replace(/\[\d+\]$/, "");
}

/** Of the samples in view, and of the error bars there. */
function figures_of(curve: Curve, from: number, to: number): { error: number | null; low: number; high: number; rms: number } {
  let [low, high, squares, count] = [Infinity, -Infinity, 0, 0];
  const { x, y } = curve.samples;
  for (let i = lower_bound(x, from); i < x.length && (x[i] as number) <= to; ++i) {
    const value = y[i] as number;
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
    squares += value * value;
    ++count;
  }
  let error: number | null = null;
  if (curve.band) {
    const { x: times, y: bars } = curve.band;
    for (let i = lower_bound(times, from); i < times.length && (times[i] as number) <= to; ++i)
      if (Number.isFinite(bars[i])) error = Math.max(error ?? 0, bars[i] as number);
  }
  return count > 0 ? { error, low, high, rms: Math.sqrt(squares / count) } : { error, low: NaN, high: NaN, rms: NaN };
}

/** Room for the numbers beside an axis. */
function axis_width(labels: string[] | null): number {
  const longest = (labels ?? []).reduce((n, text) => Math.max(n, [...text].length), 3);
  return 24 + 7 * longest;
}

function padded(min: number | null, max: number | null): [number, number] {
  if (min === null || max === null || !Number.isFinite(min) || !Number.isFinite(max)) return [-1, 1];
  // Rounding noise about a value is not a motion.
  const noise = 1e-12 * Math.max(Math.abs(min), Math.abs(max));
  if (max - min <= noise) {
    const half = min === 0 ? 1 : Math.abs(min) * 0.1;
    return [min - half, max + half];
  }
  const margin = 0.05 * (max - min);
  return [min - margin, max + margin];
}
