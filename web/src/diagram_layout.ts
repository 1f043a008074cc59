// Where the boxes of a system diagram stand: in layers along the signals, side by side in one row, in several rows whose direction
// alternates, or one below the other, whichever can be drawn largest in the room that there is.

import { seconds } from "./format";

/** A node, or a group of nodes that is folded. */
export interface Shown {
  name: string;
  model?: string;
  step_s?: number;
  element: boolean;
  group: boolean;
}
export interface Edge {
  from: string;
  to: string;
  bond: boolean;
  label: string;
  title: string;
}
export interface Box {
  name: string;
  lines: string[];
  element: boolean;
  group: boolean;
  layer: number;
  order: number;
  /** Of the grid that the arrangement makes. */
  column: number;
  row: number;
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface Layout {
  boxes: Map<string, Box>;
  width: number;
  height: number;
  /** Layers below each other. */
  downwards: boolean;
  /** What has the same text is arranged alike. */
  arrangement: string;
}
/** What the drawing may take of a screen, in pixels. */
export interface Room {
  width: number;
  height: number;
}

export const text_width = (text: string): number => 7.3 * [...text].length;
export const shortened = (text: string, most: number): string => ([...text].length > most ? [...text].slice(0, most - 1).join("") + "…" : text);
export const most_of_label = 22;

const margin = 12;
const cell_height = 96; // of one box and what is between two
const beside = 48; // for lines that bend out beside a column

/** Layers by distance from where signals begin; without such from the first node. */
function layer_nodes(nodes: Shown[], edges: Edge[]): Map<string, number> {
  const layers = new Map<string, number>();
  const neighbours = new Map<string, string[]>(nodes.map((node) => [node.name, []]));
  const entered = new Set<string>();
  for (const edge of edges) {
    neighbours.get(edge.from)?.push(edge.to);
    neighbours.get(edge.to)?.push(edge.from);
    entered.add(edge.to);
    if (edge.bond) entered.add(edge.from);
  }
  const walk = (starts: string[]): void => {
    let front = starts.filter((name) => !layers.has(name));
    for (const name of front) layers.set(name, 0);
    for (let layer = 1; front.length > 0; ++layer) {
      const next: string[] = [];
      for (const name of front)
        for (const other of neighbours.get(name) ?? []) {
          if (layers.has(other)) continue;
          layers.set(other, layer);
          next.push(other);
        }
      front = next;
    }
  };
  walk(nodes.filter((node) => !entered.has(node.name) && (neighbours.get(node.name)?.length ?? 0) > 0).map((node) => node.name));
  for (const node of nodes) walk([node.name]);
  return layers;
}

/** Within each layer, near the mean place of the neighbours in the layer before, then in the layer after, in turns. */
function order_layers(layers: Box[][], edges: Edge[], boxes: Map<string, Box>): void {
  const neighbours = new Map<string, Box[]>();
  for (const edge of edges)
    for (const [one, other] of [[edge.from, edge.to], [edge.to, edge.from]] as [string, string][]) {
      const box = boxes.get(other);
      if (!box) continue;
      const list = neighbours.get(one);
      if (list) list.push(box);
      else neighbours.set(one, [box]);
    }
  for (let sweep = 0; sweep < 9; ++sweep) {
    const forward = sweep % 2 === 0;
    for (const layer of forward ? layers : [...layers].reverse()) {
      const weight = new Map<Box, number>();
      for (const box of layer) {
        const places = (neighbours.get(box.name) ?? []).filter((other) => (forward ? other.layer < box.layer : other.layer > box.layer)).map((other) => other.order);
        weight.set(box, places.length > 0 ? places.reduce((a, b) => a + b, 0) / places.length : box.order);
      }
      layer.sort((a, b) => (weight.get(a) as number) - (weight.get(b) as number));
      layer.forEach((box, index) => (box.order = index - (layer.length - 1) / 2));
    }
  }
}

interface Arranged {
  width: number;
  height: number;
  place: () => void;
}
const sum = (values: number[]): number => values.reduce((a, b) => a + b, 0);
const largest = (values: number[]): number => values.reduce((a, b) => Math.max(a, b), 0);

/** Layers as columns, so many to a row; every other row runs back, so that what follows stands below. */
function in_rows(layers: Box[][], gaps: number[], columns: number): Arranged {
  const place_of = (layer: number): [number, number] => {
    const row = Math.floor(layer / columns);
    const column = layer % columns;
    return [row % 2 === 0 ? column : columns - 1 - column, row];
  };
  const rows = Math.ceil(layers.length / columns);
  const widths = new Array<number>(columns).fill(0);
  const between = new Array<number>(Math.max(0, columns - 1)).fill(0);
  const tallest = new Array<number>(rows).fill(0);
  layers.forEach((layer, index) => {
    const [column, row] = place_of(index);
    widths[column] = Math.max(widths[column] as number, ...layer.map((box) => box.width));
    tallest[row] = Math.max(tallest[row] as number, layer.length);
    if (index + 1 < layers.length && place_of(index + 1)[1] === row) {
      const left = Math.min(column, place_of(index + 1)[0]);
      between[left] = Math.max(between[left] as number, gaps[index] as number);
    }
  });
  const left = rows > 1 ? beside : margin;
  const width = left + sum(widths) + sum(between);
  const height = sum(tallest) * cell_height + 16;
  return {
    width,
    height,
    place: () =>
      layers.forEach((layer, index) => {
        const [column, row] = place_of(index);
        const x = left + sum(widths.slice(0, column)) + sum(between.slice(0, column));
        const top = 8 + cell_height * (sum(tallest.slice(0, row)) + ((tallest[row] as number) - layer.length) / 2);
        // Rows that run back are upside down, so that lines turn within each other.
        (row % 2 === 0 ? layer : [...layer].reverse()).forEach((box, nth) => {
          [box.column, box.row] = [column, row];
          box.x = x + ((widths[column] as number) - box.width) / 2;
          box.y = top + nth * cell_height + (cell_height - box.height) / 2;
        });
      }),
  };
}

/** Layers as rows, one below the other. */
function downwards(layers: Box[][]): Arranged {
  const between = 26;
  const widths = layers.map((layer) => sum(layer.map((box) => box.width + between)) - between);
  const width = 2 * margin + largest(widths);
  return {
    width,
    height: layers.length * cell_height + 16,
    place: () =>
      layers.forEach((layer, row) => {
        let x = (width - (widths[row] as number)) / 2;
        layer.forEach((box, column) => {
          [box.column, box.row] = [column, row];
          [box.x, box.y] = [x, 8 + row * cell_height + (cell_height - box.height) / 2];
          x += box.width + between;
        });
      }),
  };
}

export function layout(nodes: Shown[], edges: Edge[], room: Room): Layout {
  const by_node = layer_nodes(nodes, edges);
  const boxes = new Map<string, Box>();
  const all_layers: Box[][] = [];
  for (const node of nodes) {
    const lines = [shortened(node.name, 24)];
    if (node.model) lines.push(shortened(node.model, 26));
    if (node.step_s) lines.push(`every ${seconds(node.step_s)}`);
    const layer = by_node.get(node.name) ?? 0;
    const row = (all_layers[layer] ??= []);
    const box: Box = { name: node.name, lines, element: node.element, group: node.group, layer, order: row.length, column: 0, row: 0, x: 0, y: 0, width: largest([70, ...lines.map(text_width)]) + 24, height: 14 + 17 * lines.length };
    boxes.set(node.name, box);
    row.push(box);
  }
  const layers = all_layers.filter((layer) => layer !== undefined && layer.length > 0);
  order_layers(layers, edges, boxes);
  layers.forEach((layer, index) => layer.forEach((box) => (box.layer = index)));
  // Names of bonds stand between two columns.
  const gaps = new Array<number>(layers.length).fill(60);
  for (const edge of edges) {
    const [one, other] = [boxes.get(edge.from)?.layer ?? 0, boxes.get(edge.to)?.layer ?? 0];
    if (!edge.bond || Math.abs(one - other) > 1) continue;
    const before = Math.min(one, other);
    gaps[before] = Math.max(gaps[before] as number, text_width(shortened(edge.label, most_of_label)) + 30);
  }
  const fits = (a: Arranged): number => Math.min(1, room.width / (a.width + beside), room.height / a.height);
  const clearly = 1.1; // larger than what is simpler
  let best = in_rows(layers, gaps, Math.max(1, layers.length));
  let [arrangement, turned] = ["one row", false];
  for (let columns = layers.length - 1; columns >= 2; --columns) {
    const other = in_rows(layers, gaps, columns);
    if (fits(other) <= clearly * fits(best)) continue;
    [best, arrangement] = [other, `${columns} columns`];
  }
  const below = downwards(layers);
  if (fits(below) > clearly * fits(best)) [best, arrangement, turned] = [below, "downwards", true];
  best.place();
  // Lines between boxes of one column bend out beside it.
  const last = largest([...boxes.values()].map((box) => box.column));
  const bends = edges.some((edge) => boxes.get(edge.from)?.column === last && boxes.get(edge.to)?.column === last);
  return { boxes, width: best.width + (bends && !turned ? beside : margin), height: best.height, downwards: turned, arrangement };
}

export interface Line {
  d: string;
  x: number; // where its name may stand
  y: number;
}

/** From one box to the other; `shift` keeps several lines between the same two apart. */
export function edge_line(from: Box, to: Box, shift: number, all: Layout): Line {
  const middle_x = (box: Box): number => box.x + box.width / 2 + shift;
  const middle_y = (box: Box): number => box.y + box.height / 2 + shift;
  if (all.downwards) {
    if (from.row === to.row) {
      const [x1, x2] = [middle_x(from), middle_x(to)];
      const [y1, y2] = [from.y + from.height, to.y + to.height];
      const bend = Math.max(y1, y2) + 24;
      return { d: `M${x1},${y1} C${x1},${bend} ${x2},${bend} ${x2},${y2}`, x: (x1 + x2) / 2, y: bend };
    }
    const [x1, x2] = [middle_x(from), middle_x(to)];
    const [y1, y2] = from.row < to.row ? [from.y + from.height, to.y] : [from.y, to.y + to.height];
    const middle = (y1 + y2) / 2;
    return { d: `M${x1},${y1} C${x1},${middle} ${x2},${middle} ${x2},${y2}`, x: (x1 + x2) / 2, y: middle + 4 };
  }
  const [y1, y2] = [middle_y(from), middle_y(to)];
  if (from.column === to.column) {
    // Rows turn at both ends; what turns at the first column bends to its left.
    const to_left = from.column === 0 && from.row !== to.row;
    const x1 = to_left ? from.x : from.x + from.width;
    const x2 = to_left ? to.x : to.x + to.width;
    const out = Math.min(46, 20 + 0.1 * Math.abs(y2 - y1));
    const bend = to_left ? Math.min(x1, x2) - out : Math.max(x1, x2) + out;
    return { d: `M${x1},${y1} C${bend},${y1} ${bend},${y2} ${x2},${y2}`, x: bend + (to_left ? 6 : -6), y: (y1 + y2) / 2 };
  }
  const forward = from.column < to.column;
  const x1 = forward ? from.x + from.width : from.x;
  const x2 = forward ? to.x : to.x + to.width;
  const middle = (x1 + x2) / 2;
  return { d: `M${x1},${y1} C${middle},${y1} ${middle},${y2} ${x2},${y2}`, x: middle, y: (y1 + y2) / 2 };
}
