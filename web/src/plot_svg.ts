// A plot as a drawing of its own, to be saved: what is in view, with axes, legend and title.

import type { Drawn } from "./decimate";
import { number } from "./format";
import type { Look } from "./theme";

export interface SvgPlot {
  title: string;
  x_label: string;
  from: number;
  to: number;
  axes: { unit: string; label: string; low: number; high: number; texts?: string[] }[];
  curves: { label: string; unit: string; colour: string; dash: number[]; held: boolean; marks: boolean; drawn: Drawn }[];
  look: Look;
}

const [width, plot_height, side, row] = [900, 380, 84, 20];

const safe = (text: string): string => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] as string);

/** Round numbers from low to high. */
export function ticks(low: number, high: number, wanted = 6): number[] {
  const rough = (high - low) / wanted;
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

export function plot_svg(plot: SvgPlot): string {
  const parts: string[] = [];
  const text = (x: number, y: number, content: string, colour: string, more = ""): void => {
    parts.push(`<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="${colour}" ${more}>${safe(content)}</text>`);
  };
  // The legend flows: what fits into a row stands in it.
  const places: [number, number][] = [];
  let [at, line] = [side, 0];
  for (const curve of plot.curves) {
    const needed = 40 + 7.5 * [...curve.label].length;
    if (at > side && at + needed > width - 20) [at, line] = [side, line + 1];
    places.push([at, line]);
    at += needed;
  }
  const top = 40 + row * (line + 1);
  const right = width - (plot.axes.length > 1 ? side * Math.floor(plot.axes.length / 2) : 24);
  const left = side * Math.max(1, Math.ceil(plot.axes.length / 2));
  const bottom = top + plot_height;
  const height = bottom + 56;
  const x_of = (x: number): number => left + ((x - plot.from) / (plot.to - plot.from)) * (right - left);
  text(side, 22, plot.title, plot.look.text, 'font-weight="600" font-size="15"');
  plot.curves.forEach((curve, i) => {
    const [x, at_line] = places[i] as [number, number];
    const y = 42 + row * at_line;
    parts.push(`<line x1="${x}" y1="${y - 4}" x2="${x + 26}" y2="${y - 4}" stroke="${curve.colour}" stroke-width="2.5" stroke-dasharray="${curve.dash.join(" ")}"/>`);
    text(x + 32, y, curve.label, plot.look.text);
  });
  for (const x of ticks(plot.from, plot.to, 8)) {
    parts.push(`<line x1="${x_of(x).toFixed(1)}" y1="${top}" x2="${x_of(x).toFixed(1)}" y2="${bottom}" stroke="${plot.look.grid}"/>`);
    text(x_of(x), bottom + 18, number(x, 8), plot.look.faint, 'text-anchor="middle"');
  }
  text((left + right) / 2, bottom + 42, plot.x_label, plot.look.faint, 'text-anchor="middle"');
  plot.axes.forEach((axis, index) => {
    const y_of = (y: number): number => bottom - ((y - axis.low) / (axis.high - axis.low)) * plot_height;
    const on_left = index % 2 === 0;
    const x = on_left ? left - side * (index / 2) : right + side * ((index - 1) / 2);
    for (const y of ticks(axis.low, axis.high)) {
      if (index === 0) parts.push(`<line x1="${left}" y1="${y_of(y).toFixed(1)}" x2="${right}" y2="${y_of(y).toFixed(1)}" stroke="${plot.look.grid}"/>`);
      const shown = axis.texts ? (axis.texts[y] ?? "") : number(y, 6);
      text(on_left ? x - 6 : x + 6, y_of(y) + 4, shown, plot.look.faint, `text-anchor="${on_left ? "end" : "start"}"`);
    }
    const [lx, ly] = [on_left ? x - side + 16 : x + side - 8, (top + bottom) / 2];
    text(lx, ly, axis.label, plot.look.faint, `text-anchor="middle" transform="rotate(-90 ${lx} ${ly})"`);
  });
  parts.push(`<clipPath id="frame"><rect x="${left}" y="${top}" width="${right - left}" height="${plot_height}"/></clipPath>`);
  for (const curve of plot.curves) {
    const axis = plot.axes.find((a) => a.unit === curve.unit);
    if (!axis) continue;
    const y_of = (y: number): number => bottom - ((y - axis.low) / (axis.high - axis.low)) * plot_height;
    let path = "";
    let before: number | null = null;
    curve.drawn.x.forEach((x, i) => {
      const y = curve.drawn.y[i] ?? null;
      if (y !== null && curve.marks) path += `M${x_of(x).toFixed(2)},${y_of(y).toFixed(2)}h0`;
      else if (y !== null) {
        if (before === null) path += "M";
        else path += curve.held ? `L${x_of(x).toFixed(2)},${y_of(before).toFixed(2)}L` : "L";
        path += `${x_of(x).toFixed(2)},${y_of(y).toFixed(2)}`;
      }
      before = y;
    });
    const stroke = curve.marks ? 'stroke-width="6" stroke-linecap="round"' : `stroke-width="1.6" stroke-dasharray="${curve.dash.join(" ")}"`;
    parts.push(`<path d="${path}" fill="none" stroke="${curve.colour}" ${stroke} clip-path="url(#frame)"/>`);
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, 'DejaVu Sans', sans-serif" font-size="12"><rect width="${width}" height="${height}" fill="${plot.look.card}"/>${parts.join("")}</svg>\n`;
}
