// A plot over time: several variables, an axis per unit, zoom, pan, cursor, error bands and shaded intervals.

import uPlot from "uplot";
import { type Series } from "./data";
import { in_view, joined, value_at } from "./decimate";
import { el, on_resize } from "./dom";
import { number, unit as unit_text } from "./format";
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
  private readonly canvas: HTMLElement;
  private readonly legend: HTMLElement;
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
    this.element = el("figure", { class: "plot" }, el("figcaption", {}, options.title), this.legend, this.canvas);
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    options.group?.add(this);
    on_look(() => this.build());
    on_resize(this.canvas, () => this.resize());
  }

  dispose(): void {
    this.options.group?.remove(this);
    this.plot?.destroy();
    this.element.remove();
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
    const axes: uPlot.Axis[] = [{ ...axis, label: this.options.x_label ?? "time in s", labelSize: 20, size: 34, values: (_, s) => s.map((v) => number(v, 8)) }];
    units.forEach((unit, index) => {
      const texts = this.curves.find((curve) => curve.unit === unit)?.texts;
      axes.push({
        ...axis,
        scale: unit,
        side: index % 2 === 0 ? 3 : 1,
        label: unit_text(unit) ? `in ${unit_text(unit)}` : texts ? "" : "1",
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
        cursor: { drag: { x: true, y: false, setScale: false }, points: { size: 6 }, lock: false },
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
        return el("li", {}, line, el("span", { class: "name" }, curve.label), shown ? el("span", { class: "unit" }, ` in ${shown}`) : null, el("output", { class: "value" }));
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
