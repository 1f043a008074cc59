// Small charts of figures: curves over a setting, and maps over two.

import { el, svg } from "./dom";
import { number } from "./format";
import { look, on_look, series_colour } from "./theme";

export interface ChartCurve {
  label: string;
  x: number[];
  y: number[];
  marks_only?: boolean;
}
export interface ChartOptions {
  title: string;
  x_label: string;
  y_label: string;
  logarithmic?: boolean; // both axes, however near the values are
}

export interface Scale {
  to(value: number): number;
  ticks: number[];
  text(tick: number): string;
}

function nice_step(low: number, high: number, wanted: number): number {
  const raw = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  return ([1, 2, 5, 10].find((m) => m * power >= raw) ?? 10) * power;
}

function multiples(step: number, low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) ticks.push(k * step);
  return ticks;
}

/** 1, 2 and 5 times powers of ten, where there are few of those. */
function logarithmic_ticks(first: number, last: number, low: number, high: number, most_ticks: number): number[] {
  const stride = Math.max(1, Math.ceil((last - first + 1) / most_ticks));
  const ticks: number[] = [];
  if (last - first >= 2) {
    for (let k = first; k <= last; k += stride) ticks.push(10 ** k);
    return ticks;
  }
  for (let k = first - 1; k <= last + 1; ++k) ticks.push(...[1, 2, 5].map((m) => m * 10 ** k).filter((tick) => tick >= low && tick <= high));
  return ticks;
}

/** Logarithmic where all values are positive and far apart, or where that is wanted. */
export function scale_of(values: number[], from: number, to: number, most_ticks: number, logarithmic = false): Scale {
  const finite = values.filter(Number.isFinite);
  let low = Math.min(...finite);
  let high = Math.max(...finite);
  if (low > 0 && (high / low > 60 || (logarithmic && high > low))) {
    const [a, b] = [Math.log10(low), Math.log10(high)];
    const margin = 0.04 * (b - a);
    const first = Math.ceil(a - margin);
    const last = Math.floor(b + margin);
    const ticks = logarithmic_ticks(first, last, 10 ** (a - margin), 10 ** (b + margin), most_ticks);
    return { to: (v) => from + ((Math.log10(v) - a + margin) / (b - a + 2 * margin)) * (to - from), ticks, text: (tick) => number(tick, 3) };
  }
  if (low === high) [low, high] = low === 0 ? [-1, 1] : [low - 0.1 * Math.abs(low), high + 0.1 * Math.abs(high)];
  const margin = 0.06 * (high - low);
  [low, high] = [low - margin, high + margin];
  const step = nice_step(low, high, most_ticks);
  // As many digits as tell neighbours apart.
  const digits = (tick: number): number => Math.max(3, Math.floor(Math.log10(Math.abs(tick))) - Math.floor(Math.log10(step)) + 1);
  return {
    to: (v) => from + ((v - low) / (high - low)) * (to - from),
    ticks: multiples(step, low, high),
    text: (tick) => (Math.abs(tick) < 1e-9 * step ? "0" : number(tick, digits(tick))),
  };
}

interface Paper {
  width: number;
  height: number;
  x_ticks: number;
}
/** Drawings are scaled to their column: on a phone a smaller one keeps its letters readable. */
const narrow = window.matchMedia("(max-width: 600px)");
const paper = (): Paper => (narrow.matches ? { width: 350, height: 250, x_ticks: 4 } : { width: 560, height: 300, x_ticks: 7 });
const frame = { left: 76, right: 14, top: 12, bottom: 48 };

function axes(x: Scale, y: Scale, { width, height }: Paper, options: ChartOptions): SVGElement[] {
  const bottom = height - frame.bottom;
  const parts: SVGElement[] = [];
  for (const tick of y.ticks) {
    parts.push(svg("line", { x1: frame.left, x2: width - frame.right, y1: y.to(tick), y2: y.to(tick), class: "grid" }));
    parts.push(svg("text", { x: frame.left - 6, y: y.to(tick) + 4, "text-anchor": "end" }, y.text(tick)));
  }
  for (const tick of x.ticks) {
    parts.push(svg("line", { x1: x.to(tick), x2: x.to(tick), y1: frame.top, y2: bottom, class: "grid" }));
    parts.push(svg("text", { x: x.to(tick), y: bottom + 17, "text-anchor": "middle" }, x.text(tick)));
  }
  parts.push(svg("text", { x: (frame.left + width - frame.right) / 2, y: height - 8, "text-anchor": "middle", class: "label" }, options.x_label));
  const middle = (frame.top + bottom) / 2;
  parts.push(svg("text", { x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})`, class: "label" }, options.y_label));
  return parts;
}

/** `curves` is asked again whenever the chart is drawn anew. */
export function chart(curves: () => ChartCurve[], options: ChartOptions): { figure: HTMLElement; redraw: () => void } {
  const drawing = svg("svg", { class: "chart", role: "img", "aria-label": options.title });
  const legend = el("ul", { class: "legend" });
  const redraw = (): void => {
    const current = look();
    const shown = curves();
    const sheet = paper();
    const { width, height } = sheet;
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.replaceChildren();
    legend.replaceChildren();
    if (shown.length === 0) return;
    const x = scale_of(shown.flatMap((c) => c.x), frame.left, width - frame.right, sheet.x_ticks, options.logarithmic);
    const y = scale_of(shown.flatMap((c) => c.y), height - frame.bottom, frame.top, 6, options.logarithmic);
    drawing.append(...axes(x, y, sheet, options));
    shown.forEach((curve, index) => {
      const colour = series_colour(index, current);
      const points = curve.x.map((v, i) => [x.to(v), y.to(curve.y[i] as number)] as const).filter(([a, b]) => Number.isFinite(a + b));
      if (!curve.marks_only) drawing.append(svg("polyline", { points: points.map((p) => p.join(",")).join(" "), fill: "none", stroke: colour, "stroke-width": 2 }));
      for (const [a, b] of points) drawing.append(mark(a, b, index, colour));
      const key = svg("svg", { width: 26, height: 12, "aria-hidden": "true" });
      if (!curve.marks_only) key.append(svg("line", { x1: 1, x2: 25, y1: 6, y2: 6, stroke: colour, "stroke-width": 2 }));
      key.append(mark(13, 6, index, colour));
      legend.append(el("li", {}, key, el("span", { class: "name" }, curve.label)));
    });
  };
  redraw();
  on_look(redraw);
  narrow.addEventListener("change", redraw);
  return { figure: el("figure", { class: "plot" }, el("figcaption", {}, options.title), legend, drawing), redraw };
}

/** Marks differ in shape as well as in colour. */
function mark(x: number, y: number, index: number, colour: string): SVGElement {
  const r = 4;
  switch (index % 4) {
    case 0:
      return svg("circle", { cx: x, cy: y, r, fill: colour });
    case 1:
      return svg("rect", { x: x - r, y: y - r, width: 2 * r, height: 2 * r, fill: colour });
    case 2:
      return svg("path", { d: `M${x},${y - r - 1} L${x + r + 1},${y + r} L${x - r - 1},${y + r} z`, fill: colour });
    default:
      return svg("path", { d: `M${x - r},${y - r} L${x + r},${y + r} M${x - r},${y + r} L${x + r},${y - r}`, stroke: colour, "stroke-width": 2.4, fill: "none" });
  }
}

/** Yes or no over two settings. */
export function yes_no_map(points: { x: number; y: number; yes: boolean }[], options: ChartOptions, yes: string, no: string): HTMLElement {
  const xs = [...new Set(points.map((p) => p.x))].sort((a, b) => a - b);
  const ys = [...new Set(points.map((p) => p.y))].sort((a, b) => a - b);
  const cell = 26;
  const left = 62;
  const map_height = cell * ys.length;
  const drawing = svg("svg", { viewBox: `0 0 ${left + cell * xs.length + 16} ${map_height + 52}`, class: "chart map", role: "img", "aria-label": options.title });
  for (const point of points) {
    const x = left + cell * xs.indexOf(point.x);
    const y = map_height - cell * (ys.indexOf(point.y) + 1);
    drawing.append(svg("rect", { x: x + 1, y: y + 1, width: cell - 2, height: cell - 2, rx: 3, class: point.yes ? "yes" : "no" }));
    if (!point.yes) drawing.append(svg("path", { d: `M${x + 8},${y + 8} L${x + cell - 8},${y + cell - 8} M${x + 8},${y + cell - 8} L${x + cell - 8},${y + 8}`, class: "cross" }));
  }
  const every = (n: number): number => Math.max(1, Math.ceil(n / 4));
  xs.forEach((v, i) => {
    if (i % every(xs.length) === 0) drawing.append(svg("text", { x: left + cell * (i + 0.5), y: map_height + 16, "text-anchor": "middle" }, number(v, 2)));
  });
  ys.forEach((v, i) => {
    if (i % every(ys.length) === 0) drawing.append(svg("text", { x: left - 6, y: map_height - cell * (i + 0.5) + 4, "text-anchor": "end" }, number(v, 2)));
  });
  drawing.append(svg("text", { x: left + (cell * xs.length) / 2, y: map_height + 40, "text-anchor": "middle", class: "label" }, options.x_label));
  drawing.append(svg("text", { x: 12, y: map_height / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${map_height / 2})`, class: "label" }, options.y_label));
  return el("figure", { class: "plot map-plot" }, el("figcaption", {}, options.title), drawing, el("p", { class: "key" }, `filled: ${yes}; crossed: ${no}`));
}
