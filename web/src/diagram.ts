// The system as a drawing: subsystems in layers along the signals, bonds as thick lines, signals as arrows.

import type { System } from "./data";
import { el, svg } from "./dom";
import { seconds } from "./format";

interface Box {
  name: string;
  lines: string[];
  element: boolean;
  layer: number;
  order: number;
  x: number;
  y: number;
  width: number;
  height: number;
}
interface Edge {
  from: string;
  to: string;
  bond: boolean;
  label: string;
  title: string;
}

const text_width = (text: string): number => 7.3 * [...text].length;
const shortened = (text: string, most: number): string => ([...text].length > most ? [...text].slice(0, most - 1).join("") + "…" : text);

function edges_of(system: System): Edge[] {
  const edges: Edge[] = system.bonds.map((bond) => ({
    from: bond.effort_from,
    to: bond.flow_from,
    bond: true,
    label: bond.name,
    title: `bond ${bond.name}: effort ${bond.effort} (${bond.effort_unit}), flow ${bond.flow} (${bond.flow_unit})`,
  }));
  for (const signal of system.signals) {
    if (signal.from === signal.to) continue;
    const title = signal.ports.map(([from, to]) => `${from} → ${to}`).join("\n");
    edges.push({ from: signal.from, to: signal.to, bond: false, label: "", title });
  }
  return edges;
}

/** Layers by distance from where signals begin; without such from the first node. */
function layer_nodes(system: System, edges: Edge[]): Map<string, number> {
  const layers = new Map<string, number>();
  const neighbours = new Map<string, string[]>(system.nodes.map((node) => [node.name, []]));
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
  walk(system.nodes.filter((node) => !entered.has(node.name) && (neighbours.get(node.name)?.length ?? 0) > 0).map((node) => node.name));
  for (const node of system.nodes) walk([node.name]);
  return layers;
}

/** Within each layer, near the mean place of the neighbours. */
function order_layers(layers: Box[][], edges: Edge[], boxes: Map<string, Box>): void {
  for (let sweep = 0; sweep < 8; ++sweep) {
    for (const layer of sweep % 2 === 0 ? layers : [...layers].reverse()) {
      const weight = new Map<Box, number>();
      for (const box of layer) {
        const places = edges
          .filter((edge) => edge.from === box.name || edge.to === box.name)
          .map((edge) => boxes.get(edge.from === box.name ? edge.to : edge.from))
          .filter((other): other is Box => other !== undefined && other.layer !== box.layer)
          .map((other) => other.order);
        weight.set(box, places.length > 0 ? places.reduce((a, b) => a + b, 0) / places.length : box.order);
      }
      layer.sort((a, b) => (weight.get(a) as number) - (weight.get(b) as number));
      layer.forEach((box, index) => (box.order = index - (layer.length - 1) / 2));
    }
  }
}

function layout(system: System, edges: Edge[]): { boxes: Map<string, Box>; width: number; height: number } {
  const by_node = layer_nodes(system, edges);
  const boxes = new Map<string, Box>();
  const layers: Box[][] = [];
  for (const node of system.nodes) {
    const lines = [shortened(node.name, 24)];
    if (node.model) lines.push(shortened(node.model, 26));
    if (node.step_s) lines.push(`every ${seconds(node.step_s)}`);
    const width = Math.max(70, ...lines.map(text_width)) + 24;
    const layer = by_node.get(node.name) ?? 0;
    const box: Box = { name: node.name, lines, element: node.element, layer, order: 0, x: 0, y: 0, width, height: 14 + 17 * lines.length };
    boxes.set(node.name, box);
    const row = (layers[layer] ??= []);
    box.order = row.length;
    row.push(box);
  }
  const filled = layers.filter((layer) => layer !== undefined && layer.length > 0);
  order_layers(filled, edges, boxes);
  const row_height = 96;
  const tallest = Math.max(...filled.map((layer) => layer.length));
  const height = tallest * row_height + 16;
  let x = 12;
  filled.forEach((layer, index) => {
    const width = Math.max(...layer.map((box) => box.width));
    layer.forEach((box, place) => {
      box.x = x + (width - box.width) / 2;
      box.y = (height - layer.length * row_height) / 2 + place * row_height + (row_height - box.height) / 2;
    });
    const next = filled[index + 1];
    const labels = edges.filter((edge) => edge.bond && [edge.from, edge.to].every((name) => layer.concat(next ?? []).some((box) => box.name === name)));
    x += width + Math.max(60, ...labels.map((edge) => text_width(shortened(edge.label, 22)) + 30));
  });
  const right = Math.max(...[...boxes.values()].map((box) => box.x + box.width));
  return { boxes, width: right + 12, height };
}

function edge_path(from: Box, to: Box, shift: number): { d: string; x: number; y: number } {
  if (from.layer === to.layer) {
    const [upper, lower] = from.y < to.y ? [from, to] : [to, from];
    const x = Math.max(upper.x + upper.width, lower.x + lower.width);
    const [y1, y2] = [from.y + from.height / 2 + shift, to.y + to.height / 2 + shift];
    const bend = x + 34;
    return { d: `M${from.x + from.width},${y1} C${bend},${y1} ${bend},${y2} ${to.x + to.width},${y2}`, x: bend - 6, y: (y1 + y2) / 2 };
  }
  const forward = from.layer < to.layer;
  const x1 = forward ? from.x + from.width : from.x;
  const x2 = forward ? to.x : to.x + to.width;
  const y1 = from.y + from.height / 2 + shift;
  const y2 = to.y + to.height / 2 + shift;
  const middle = (x1 + x2) / 2;
  return { d: `M${x1},${y1} C${middle},${y1} ${middle},${y2} ${x2},${y2}`, x: middle, y: (y1 + y2) / 2 };
}

export function diagram(system: System): HTMLElement {
  const edges = edges_of(system);
  const { boxes, width, height } = layout(system, edges);
  const drawing = svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${system.nodes.length} subsystems and elements, ${system.bonds.length} bonds` },
    svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0,0 L8,4 L0,8 z", class: "arrow" }))),
  );
  const between = new Map<string, number>();
  const labels: SVGElement[] = [];
  for (const edge of edges) {
    const from = boxes.get(edge.from);
    const to = boxes.get(edge.to);
    if (!from || !to || from === to) continue;
    const pair = [edge.from, edge.to].sort().join("\n");
    const nth = between.get(pair) ?? 0;
    between.set(pair, nth + 1);
    const shift = nth === 0 ? 0 : (nth % 2 === 0 ? 1 : -1) * Math.ceil(nth / 2) * 18;
    const path = edge_path(from, to, shift);
    drawing.append(svg("path", { d: path.d, class: edge.bond ? "bond" : "signal", "marker-end": edge.bond ? undefined : "url(#arrow)" }, svg("title", {}, edge.title)));
    if (edge.label) labels.push(svg("text", { x: path.x, y: path.y - 6, class: "bond-name", "text-anchor": "middle" }, shortened(edge.label, 22)));
  }
  for (const box of boxes.values()) {
    const group = svg("g", { class: box.element ? "node element" : "node", "data-name": box.name });
    group.append(svg("rect", { x: box.x, y: box.y, width: box.width, height: box.height, rx: box.element ? box.height / 2 : 7 }), svg("title", {}, box.name));
    box.lines.forEach((line, index) =>
      group.append(svg("text", { x: box.x + box.width / 2, y: box.y + 20 + 17 * index, "text-anchor": "middle", class: index === 0 ? "node-name" : "node-line" }, line)),
    );
    drawing.append(group);
  }
  drawing.append(...labels);
  return el(
    "div",
    {},
    el("div", { class: "scroll diagram", tabindex: 0, role: "region", "aria-label": "System diagram" }, drawing),
    el("p", { class: "key" }, "Thick lines are power bonds (energy is accounted for), arrows are signals. Hover over a line for its ports."),
  );
}
