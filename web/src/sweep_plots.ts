// The plots of a sweep: responses, parallel coordinates, scatter matrix, main effects, Sobol indices, bands over time.

import { chart } from "./chart";
import { load, type SobolIndex, type StudyTable } from "./data";
import { el, svg } from "./dom";
import { number } from "./format";
import { axis_scale, draw_axes, draw_mark, Drawing, line, usual_frame, type Sheet } from "./study_canvas";
import { verdict_colour, verdict_order, verdict_shape, type Quantity, type Runs } from "./study_data";
import { look, on_look, series_colour } from "./theme";

export type Choose = (run: number) => void; // row of the table

function select(label: string, options: string[], chosen: string, change: (value: string) => void): HTMLElement {
  const list = el("select", { "aria-label": label, change: (event) => change((event.target as HTMLSelectElement).value) });
  for (const option of options) list.append(el("option", { value: option, selected: option === chosen }, option));
  return el("label", { class: "choice" }, `${label} `, list);
}

/** The less good are drawn last, on top. */
function in_order_of_verdicts(runs: Runs, visit: (run: number) => void): void {
  for (let verdict = 0; verdict < verdict_order.length; ++verdict) {
    for (let i = 0; i < runs.count; ++i) if (runs.shown[i] && runs.verdicts[i] === verdict) visit(i);
  }
}

function draw_points(sheet: Sheet, runs: Runs, x: (run: number) => number, y: (run: number) => number, radius: number): void {
  const { context } = sheet;
  let last = -1;
  in_order_of_verdicts(runs, (i) => {
    const [a, b] = [x(i), y(i)];
    if (!Number.isFinite(a + b)) return;
    const verdict = runs.verdicts[i] as number;
    if (verdict !== last) {
      context.fillStyle = context.strokeStyle = verdict_colour(verdict);
      last = verdict;
    }
    draw_mark(context, a, b, radius, verdict_shape(verdict));
  });
}

const radius_for = (runs: Runs): number => (runs.count > 5000 ? 1.3 : runs.count > 500 ? 2 : 3.4);

export function response_plot(runs: Runs, choose: Choose): HTMLElement {
  const names = runs.quantities.map((q) => q.name);
  let x_name = runs.settings[0]?.name ?? "";
  let y_name = runs.outcomes[0]?.name ?? x_name;
  let places: { x: number; y: number; run: number }[] = [];
  const drawing = new Drawing("One quantity over another, a mark per run", (width) => Math.max(240, Math.min(430, 0.5 * width)), (sheet) => {
    const [x, y] = [runs.quantity(x_name), runs.quantity(y_name)];
    const f = usual_frame;
    const x_scale = axis_scale(x.values, x.words, f.left, sheet.width - f.right, sheet.width > 500 ? 7 : 4);
    const y_scale = axis_scale(y.values, y.words, sheet.height - f.bottom, f.top, 6);
    draw_axes(sheet, f, x_scale, y_scale, x.name, y.name);
    places = [];
    const at = (i: number): number => x_scale.to(x.values[i] as number);
    const up = (i: number): number => y_scale.to(y.values[i] as number);
    for (let i = 0; i < runs.count; ++i) if (runs.shown[i]) places.push({ x: at(i), y: up(i), run: i });
    draw_points(sheet, runs, at, up, radius_for(runs));
  });
  drawing.canvas.classList.add("pick");
  drawing.canvas.addEventListener("click", (event) => {
    let best = 400; // 20 px
    let found: number | undefined;
    for (const place of places) {
      const distance = (place.x - event.offsetX) ** 2 + (place.y - event.offsetY) ** 2;
      if (distance < best) [best, found] = [distance, place.run];
    }
    if (found !== undefined) choose(found);
  });
  runs.on_change(() => drawing.redraw());
  return el(
    "figure",
    { class: "plot" },
    el(
      "div",
      { class: "buttons" },
      select("horizontal", names, x_name, (name) => {
        x_name = name;
        drawing.redraw();
      }),
      select("vertical", names, y_name, (name) => {
        y_name = name;
        drawing.redraw();
      }),
    ),
    drawing.canvas,
  );
}

/** At most so many axes: more cannot be told apart. */
const most_axes = 9;

export function parallel_plot(runs: Runs): HTMLElement {
  const axes = [...runs.settings, ...runs.outcomes].slice(0, most_axes);
  const frame = { left: 40, right: 40, top: 50, bottom: 26 };
  const drawing = new Drawing("Parallel coordinates, a line per run", () => 320, (sheet) => {
    const { context, width, height } = sheet;
    const colours = look();
    const place = (k: number): number => frame.left + (k / Math.max(1, axes.length - 1)) * (width - frame.left - frame.right);
    const scales = axes.map((q) => axis_scale(q.values, q.words, height - frame.bottom, frame.top, 2));
    context.lineWidth = runs.count > 2000 ? 0.5 : 1;
    context.globalAlpha = Math.max(0.03, Math.min(0.8, 60 / runs.count));
    in_order_of_verdicts(runs, (i) => {
      context.strokeStyle = verdict_colour(runs.verdicts[i] as number);
      context.beginPath();
      let pen = false;
      axes.forEach((q, k) => {
        const y = scales[k]?.to(q.values[i] as number) ?? NaN;
        if (!Number.isFinite(y)) pen = false;
        else if (pen) context.lineTo(place(k), y);
        else {
          context.moveTo(place(k), y);
          pen = true;
        }
      });
      context.stroke();
    });
    context.globalAlpha = 1;
    context.font = '12px system-ui, "DejaVu Sans", sans-serif';
    context.lineWidth = 1.4;
    context.textBaseline = "middle";
    const room = (width - frame.left - frame.right) / Math.max(1, axes.length - 1) - 8;
    axes.forEach((q, k) => {
      context.strokeStyle = colours.faint;
      line(context, place(k), frame.top, place(k), height - frame.bottom);
      // Names of neighbours in two rows; those of the outer axes end with the drawing.
      const outer = k === 0 ? "left" : k === axes.length - 1 ? "right" : "center";
      const x = k === 0 ? 2 : k === axes.length - 1 ? width - 2 : place(k);
      context.textAlign = outer;
      context.fillStyle = colours.text;
      context.fillText(q.name, x, k % 2 === 0 ? 9 : 24, Math.max(60, 1.7 * room));
      context.textAlign = "center";
      context.fillStyle = colours.faint;
      const [low, high] = extremes(q.values);
      context.fillText(label_of(q, low), place(k), height - frame.bottom + 12, Math.max(40, room));
      context.fillText(label_of(q, high), place(k), frame.top - 9, Math.max(40, room));
    });
  });
  runs.on_change(() => drawing.redraw());
  const left_out = runs.quantities.length - axes.length;
  return el("figure", { class: "plot" }, drawing.canvas, left_out > 0 ? el("p", { class: "small" }, `${left_out} more quantities are in runs.csv.`) : null);
}

function extremes(values: Float64Array): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const v of values) {
    if (!Number.isFinite(v)) continue;
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  return [low, high];
}
const label_of = (q: Quantity, value: number): string => (q.words ? (q.words[value] ?? "") : number(value, 3));

export function scatter_matrix(runs: Runs): HTMLElement {
  const axes = [...runs.settings.slice(0, 3), ...runs.outcomes.slice(0, 3)].slice(0, 6);
  const n = axes.length;
  const drawing = new Drawing("Scatter matrix: each quantity over each other", (width) => Math.min(width, 760), (sheet) => {
    const { context, width, height } = sheet;
    const colours = look();
    const gap = 6;
    const [w, h] = [width / n, height / n];
    context.font = '12px system-ui, "DejaVu Sans", sans-serif';
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (let row = 0; row < n; ++row) {
      for (let column = 0; column < n; ++column) {
        const [x, y] = [axes[column] as Quantity, axes[row] as Quantity];
        const [left, top] = [column * w, row * h];
        context.strokeStyle = colours.grid;
        context.lineWidth = 1;
        context.strokeRect(left + 2, top + 2, w - 4, h - 4);
        if (row === column) {
          context.fillStyle = colours.text;
          context.fillText(x.name, left + w / 2, top + h / 2, w - 12);
          context.fillStyle = colours.faint;
          const [low, high] = extremes(x.values);
          context.fillText(x.words ? `${x.words.length} values` : `${number(low, 3)} … ${number(high, 3)}`, left + w / 2, top + h / 2 + 18, w - 12);
          continue;
        }
        const x_scale = axis_scale(x.values, x.words, left + gap, left + w - gap, 3);
        const y_scale = axis_scale(y.values, y.words, top + h - gap, top + gap, 3);
        draw_points(sheet, runs, (i) => x_scale.to(x.values[i] as number), (i) => y_scale.to(y.values[i] as number), runs.count > 500 ? 0.8 : 1.8);
      }
    }
  });
  runs.on_change(() => drawing.redraw());
  return el("figure", { class: "plot" }, drawing.canvas);
}

/** Means of an outcome over the values of a setting, or over tenths of its range. */
function main_effect(runs: Runs, setting: Quantity, outcome: Quantity): { x: number[]; y: number[] } {
  const distinct = [...new Set(setting.values)].filter(Number.isFinite).sort((a, b) => a - b);
  const most_levels = 24;
  const bins = 10;
  const groups = new Map<number, { sum: number; count: number; x: number }>();
  const sorted = distinct.length > most_levels ? Float64Array.from(setting.values).sort() : null;
  for (let i = 0; i < runs.count; ++i) {
    const [x, y] = [setting.values[i] as number, outcome.values[i] as number];
    if (!runs.shown[i] || !Number.isFinite(x) || !Number.isFinite(y)) continue;
    const key = sorted ? Math.min(bins - 1, Math.floor((bins * rank_of(sorted, x)) / sorted.length)) : x;
    const group = groups.get(key) ?? { sum: 0, count: 0, x: 0 };
    group.sum += y;
    group.x += x;
    ++group.count;
    groups.set(key, group);
  }
  const means = [...groups.values()].map((g) => ({ x: g.x / g.count, y: g.sum / g.count })).sort((a, b) => a.x - b.x);
  return { x: means.map((m) => m.x), y: means.map((m) => m.y) };
}

function rank_of(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function main_effects(runs: Runs): HTMLElement {
  const names = runs.outcomes.map((q) => q.name);
  let chosen = names[0] ?? "";
  const charts = el("div", { class: "charts" });
  const fill = (): void => {
    const outcome = runs.quantity(chosen);
    charts.replaceChildren(
      ...runs.settings.map((setting) => {
        const words = setting.words ? `${setting.name} (${setting.words.map((w, i) => `${i}: ${w}`).join(", ")})` : setting.name;
        return chart(() => [{ label: `mean of ${chosen}`, ...main_effect(runs, setting, outcome) }], { title: `${chosen} over ${setting.name}`, x_label: words, y_label: chosen }).figure;
      }),
    );
  };
  fill();
  runs.on_change(fill);
  return el("div", {}, el("div", { class: "buttons" }, select("outcome", names, chosen, (name) => ((chosen = name), fill()))), charts);
}

export function sobol_chart(name: string, indices: SobolIndex[]): HTMLElement {
  const [row, left, width] = [34, 150, 560];
  const height = row * indices.length + 40;
  const drawing = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Sobol indices of ${name}` });
  const draw = (): void => {
    const high = Math.max(1, ...indices.flatMap((s) => [s.first_high, s.total_high]));
    const x = (v: number): number => left + (Math.max(-0.05, v) / high) * (width - left - 20);
    drawing.replaceChildren();
    for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
      drawing.append(svg("line", { x1: x(tick), x2: x(tick), y1: 4, y2: height - 32, class: "grid" }), svg("text", { x: x(tick), y: height - 16, "text-anchor": "middle" }, String(tick)));
    }
    indices.forEach((s, i) => {
      const y = 6 + row * i;
      drawing.append(svg("text", { x: left - 8, y: y + 16, "text-anchor": "end" }, s.setting));
      const parts = [
        { value: s.first, low: s.first_low, high: s.first_high, y, colour: series_colour(0) },
        { value: s.total, low: s.total_low, high: s.total_high, y: y + 13, colour: series_colour(1) },
      ];
      for (const part of parts) {
        drawing.append(
          svg("rect", { x: x(0), y: part.y, width: Math.max(0, x(part.value) - x(0)), height: 10, fill: part.colour }),
          svg("line", { x1: x(part.low), x2: x(part.high), y1: part.y + 5, y2: part.y + 5, stroke: look().text, "stroke-width": 1.6 }),
        );
      }
    });
  };
  draw();
  on_look(draw);
  return el("figure", { class: "plot" }, el("figcaption", {}, name), el("p", { class: "key" }, "upper bar: first order, lower bar: total; lines: 95 % intervals"), drawing);
}

/** Two bands and the median of one output over time. */
export async function band_plot(table: StudyTable, output: string): Promise<HTMLElement> {
  const column = async (name: string): Promise<Float64Array> => load(table.columns.find((c) => c.name === name)?.block ?? 0);
  const time = await column("time");
  const [q05, q25, q50, q75, q95] = await Promise.all(["q05", "q25", "q50", "q75", "q95"].map((q) => column(`${output}.${q}`)));
  if (!q05 || !q25 || !q50 || !q75 || !q95) return el("figure", {});
  const drawing = new Drawing(`Quantiles of ${output} over time`, () => 280, (sheet) => {
    const { context, width, height } = sheet;
    const f = usual_frame;
    const x = axis_scale(time, undefined, f.left, width - f.right, width > 500 ? 7 : 4);
    const y = axis_scale(Float64Array.from([...q05, ...q95]), undefined, height - f.bottom, f.top, 6);
    draw_axes(sheet, f, x, y, "time in s", output);
    context.fillStyle = context.strokeStyle = series_colour(0);
    for (const [low, high] of [[q05, q95], [q25, q75]] as const) {
      context.globalAlpha = 0.25;
      context.beginPath();
      time.forEach((t, i) => context.lineTo(x.to(t), y.to(low[i] as number)));
      for (let i = time.length; i-- > 0; ) context.lineTo(x.to(time[i] as number), y.to(high[i] as number));
      context.fill();
    }
    context.globalAlpha = 1;
    context.lineWidth = 2;
    context.beginPath();
    time.forEach((t, i) => context.lineTo(x.to(t), y.to(q50[i] as number)));
    context.stroke();
  });
  return el("figure", { class: "plot" }, el("figcaption", {}, output), drawing.canvas, el("p", { class: "key" }, "line: median; bands: half and nine tenths of all whole runs"));
}
