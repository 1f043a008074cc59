// Millions of points are drawn as what can be seen of them: per column of pixels the first, lowest, highest and last one. As
// soon as fewer points than that are in view, they are drawn as they are.

import type { Series } from "./data";

/** The first index whose x is not below `value`. */
export function lower_bound(x: Float64Array, value: number): number {
  let low = 0;
  let high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface Drawn {
  x: number[];
  y: (number | null)[];
  exact: boolean;
}

/** Points to draw between `from` and `to`, one more on each side, for so many columns of pixels. */
export function in_view(series: Series, from: number, to: number, columns: number): Drawn {
  const { x, y } = series;
  const first = Math.max(0, lower_bound(x, from) - 1);
  const last = Math.min(x.length - 1, lower_bound(x, to) + 1);
  const value = (i: number): number | null => (Number.isFinite(y[i]) ? (y[i] as number) : null);
  const drawn: Drawn = { x: [], y: [], exact: last - first + 1 <= 4 * columns };
  if (drawn.exact) {
    for (let i = first; i <= last; ++i) {
      drawn.x.push(x[i] as number);
      drawn.y.push(value(i));
    }
    return drawn;
  }
  const per_column = (last - first + 1) / columns;
  for (let c = 0; c < columns; ++c) {
    const begin = first + Math.floor(c * per_column);
    const end = Math.min(last + 1, first + Math.floor((c + 1) * per_column));
    let low = begin;
    let high = begin;
    let gap = -1;
    for (let i = begin; i < end; ++i) {
      const v = y[i] as number;
      if (!Number.isFinite(v)) gap = i;
      else {
        if (!(v >= (y[low] as number))) low = i;
        if (!(v <= (y[high] as number))) high = i;
      }
    }
    const kept = [...new Set([begin, low, high, end - 1, ...(gap >= 0 ? [gap] : [])])].sort((a, b) => a - b);
    for (const i of kept) {
      drawn.x.push(x[i] as number);
      drawn.y.push(value(i));
    }
  }
  return drawn;
}

/** Lists of points with a common list of x: what a list does not have at an x is undefined, which a line goes past. */
export function joined(lists: { x: number[]; y: (number | null)[] }[]): [number[], ...(number | null | undefined)[][]] {
  const all = new Set<number>();
  for (const list of lists) for (const x of list.x) all.add(x);
  const x = [...all].sort((a, b) => a - b);
  const place = new Map(x.map((value, index) => [value, index]));
  const ys = lists.map((list) => {
    const y = new Array<number | null | undefined>(x.length).fill(undefined);
    list.x.forEach((value, i) => (y[place.get(value) as number] = list.y[i]));
    return y;
  });
  return [x, ...ys];
}

/** The value at x: of the last sample (`held`), or on the line between two. */
export function value_at(series: Series, at: number, held: boolean): number {
  const { x, y } = series;
  const i = lower_bound(x, at);
  if (i < x.length && x[i] === at) return y[i] as number;
  if (i === 0 || i >= x.length) return NaN;
  const left = y[i - 1] as number;
  if (held) return left;
  const share = (at - (x[i - 1] as number)) / ((x[i] as number) - (x[i - 1] as number));
  return left + share * ((y[i] as number) - left);
}
