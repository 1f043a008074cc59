// Drawings of studies: thousands of runs are pixels, not elements.

import { el, on_resize } from "./dom";
import { look, on_look } from "./theme";
import { scale_of, type Scale } from "./chart";

export interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
}
export const usual_frame: Frame = { left: 74, right: 14, top: 10, bottom: 46 };

export interface Sheet {
  context: CanvasRenderingContext2D;
  width: number;
  height: number;
}

/** A canvas as wide as its column that is drawn anew when that, or the colours, change. */
export class Drawing {
  readonly canvas: HTMLCanvasElement;
  readonly #draw: (sheet: Sheet) => void;
  readonly #height: (width: number) => number;

  constructor(label: string, height: (width: number) => number, draw: (sheet: Sheet) => void) {
    this.canvas = el("canvas", { class: "study-canvas", role: "img", "aria-label": label });
    this.#draw = draw;
    this.#height = height;
    on_resize(this.canvas, () => this.redraw());
    on_look(() => this.redraw());
  }

  redraw(): void {
    const width = Math.floor(this.canvas.getBoundingClientRect().width);
    const context = this.canvas.getContext("2d");
    if (width < 20 || !context) return;
    const height = this.#height(width);
    const density = window.devicePixelRatio || 1;
    const [w, h] = [Math.round(width * density), Math.round(height * density)];
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
      this.canvas.style.height = `${height}px`;
    }
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, width, height);
    this.#draw({ context, width, height });
  }
}

const font = '12px system-ui, "DejaVu Sans", sans-serif';

/** Values that are words stand side by side, in the order of `words`. */
export function axis_scale(values: ArrayLike<number>, words: string[] | undefined, from: number, to: number, ticks: number): Scale {
  if (words) {
    const n = Math.max(1, words.length);
    const place = (v: number): number => from + ((v + 0.5) / n) * (to - from);
    const shown = words.map((_, i) => i).filter((i) => i % Math.ceil(n / Math.max(1, ticks)) === 0);
    return { to: place, ticks: shown, text: (i) => (words[i] as string).slice(0, 18) };
  }
  // Extremes alone: spreading twenty thousand numbers into arguments is more than a call takes.
  let [low, high, least_positive] = [Infinity, -Infinity, Infinity];
  for (let i = 0; i < values.length; ++i) {
    const v = values[i] as number;
    if (!Number.isFinite(v)) continue;
    low = Math.min(low, v);
    high = Math.max(high, v);
    if (v > 0) least_positive = Math.min(least_positive, v);
  }
  return low <= high ? scale_of([low, high], from, to, ticks) : scale_of([0, 1], from, to, ticks);
}

export function draw_axes(sheet: Sheet, frame: Frame, x: Scale, y: Scale, x_label: string, y_label: string): void {
  const { context, width, height } = sheet;
  const colours = look();
  context.font = font;
  context.lineWidth = 1;
  context.strokeStyle = colours.grid;
  context.fillStyle = colours.faint;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const tick of y.ticks) {
    line(context, frame.left, y.to(tick), width - frame.right, y.to(tick));
    context.fillText(y.text(tick), frame.left - 6, y.to(tick), frame.left - 18);
  }
  context.textAlign = "center";
  for (const tick of x.ticks) {
    line(context, x.to(tick), frame.top, x.to(tick), height - frame.bottom);
    context.fillText(x.text(tick), x.to(tick), height - frame.bottom + 13);
  }
  context.fillStyle = colours.text;
  context.fillText(x_label, (frame.left + width - frame.right) / 2, height - 10, width - frame.left - frame.right);
  context.save();
  context.translate(9, (frame.top + height - frame.bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.fillText(y_label, 0, 0, height - frame.top - frame.bottom);
  context.restore();
}

export function line(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

/** Verdicts differ in shape as well as in colour. */
export function draw_mark(context: CanvasRenderingContext2D, x: number, y: number, r: number, shape: number): void {
  if (r < 1.5) {
    context.fillRect(x - r, y - r, 2 * r, 2 * r); // too small for shapes
  } else if (shape === 0) {
    context.beginPath();
    context.arc(x, y, r, 0, 2 * Math.PI);
    context.fill();
  } else if (shape === 1) {
    context.fillRect(x - r, y - r, 2 * r, 2 * r);
  } else if (shape === 2) {
    context.beginPath();
    context.moveTo(x, y - r - 1);
    context.lineTo(x + r + 1, y + r);
    context.lineTo(x - r - 1, y + r);
    context.fill();
  } else {
    context.lineWidth = 1.6;
    line(context, x - r, y - r, x + r, y + r);
    line(context, x - r, y + r, x + r, y - r);
  }
}
