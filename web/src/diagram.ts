// The system as a drawing: subsystems in layers along the signals, bonds as thick lines, signals as arrows. It fits its box, can be moved
// and magnified, and of many subsystems those that belong together are one box until they are unfolded.

import type { System } from "./data";
import { el, svg } from "./dom";
import { seconds } from "./format";

interface Box {
  name: string;
  lines: string[];
  element: boolean;
  group: boolean;
  layer: number;
  order: number;
  x: number;
  y: number;
  width: number;
  height: number;
}
/** A node, or a group of nodes that is folded. */
interface Shown {
  name: string;
  model?: string;
  step_s?: number;
  element: boolean;
  group: boolean;
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

const most_unfolded = 40;

/** "car/corner1/wheel" and "m12" belong to "car/…" and "m…". */
function group_of(name: string): string {
  const slash = name.indexOf("/");
  if (slash > 0) return `${name.slice(0, slash)}/…`;
  const stem = name.replace(/\d+/g, "…");
  return stem === name ? name : stem;
}

/** What is drawn: few nodes as they are; of many one box per group, but of those that were opened. */
function folded(system: System, opened: Set<string>): { nodes: Shown[]; place: Map<string, string>; groups: number } {
  const place = new Map<string, string>();
  const members = new Map<string, System["nodes"]>();
  for (const node of system.nodes) {
    const group = group_of(node.name);
    const list = members.get(group);
    if (list) list.push(node);
    else members.set(group, [node]);
  }
  const nodes: Shown[] = [];
  let groups = 0;
  for (const [group, list] of members) {
    if (list.length < 2 || system.nodes.length <= most_unfolded || opened.has(group)) {
      for (const node of list) {
        place.set(node.name, node.name);
        nodes.push({ ...node, group: false });
      }
      continue;
    }
    ++groups;
    for (const node of list) place.set(node.name, group);
    const models = new Set(list.map((node) => node.model ?? ""));
    nodes.push({ name: group, model: `${list.length} × ${models.size === 1 ? ([...models][0] ?? "") : "different models"}`, element: list.every((node) => node.element), group: true });
  }
  return { nodes, place, groups };
}

/** Edges between what is drawn; those between the same two boxes are one. */
function folded_edges(edges: Edge[], place: Map<string, string>): Edge[] {
  const merged = new Map<string, Edge & { count: number }>();
  const result: Edge[] = [];
  for (const edge of edges) {
    const from = place.get(edge.from) ?? edge.from;
    const to = place.get(edge.to) ?? edge.to;
    if (from === edge.from && to === edge.to) {
      result.push(edge);
      continue;
    }
    if (from === to) continue;
    const key = [edge.bond, from, to].join("\n");
    const known = merged.get(key);
    if (!known) merged.set(key, { ...edge, from, to, count: 1 });
    else {
      ++known.count;
      if (known.count <= 10) known.title += `\n${edge.title}`;
    }
  }
  for (const edge of merged.values()) result.push({ ...edge, label: edge.bond && edge.count > 1 ? `${edge.count} bonds` : edge.label });
  return result;
}

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

/** Within each layer, near the mean place of the neighbours. */
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
  for (let sweep = 0; sweep < 8; ++sweep) {
    for (const layer of sweep % 2 === 0 ? layers : [...layers].reverse()) {
      const weight = new Map<Box, number>();
      for (const box of layer) {
        const places = (neighbours.get(box.name) ?? []).filter((other) => other.layer !== box.layer).map((other) => other.order);
        weight.set(box, places.length > 0 ? places.reduce((a, b) => a + b, 0) / places.length : box.order);
      }
      layer.sort((a, b) => (weight.get(a) as number) - (weight.get(b) as number));
      layer.forEach((box, index) => (box.order = index - (layer.length - 1) / 2));
    }
  }
}

function layout(nodes: Shown[], edges: Edge[]): { boxes: Map<string, Box>; width: number; height: number } {
  const by_node = layer_nodes(nodes, edges);
  const boxes = new Map<string, Box>();
  const layers: Box[][] = [];
  for (const node of nodes) {
    const lines = [shortened(node.name, 24)];
    if (node.model) lines.push(shortened(node.model, 26));
    if (node.step_s) lines.push(`every ${seconds(node.step_s)}`);
    const width = Math.max(70, ...lines.map(text_width)) + 24;
    const layer = by_node.get(node.name) ?? 0;
    const box: Box = { name: node.name, lines, element: node.element, group: node.group, layer, order: 0, x: 0, y: 0, width, height: 14 + 17 * lines.length };
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
  let right = 0;
  for (const box of boxes.values()) right = Math.max(right, box.x + box.width);
  // A line between two boxes of the last layer bends out beside them.
  const last = filled[filled.length - 1];
  const bends = edges.some((edge) => last?.some((box) => box.name === edge.from) && last.some((box) => box.name === edge.to));
  return { boxes, width: right + (bends ? 48 : 12), height };
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

interface Rectangle {
  left: number;
  right: number;
  top: number;
  bottom: number;
}
const overlap = (a: Rectangle, b: Rectangle): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Names of bonds, beside their lines where nothing else stands; one that finds no room is left to the title of its line. */
class Labels {
  private readonly taken: Rectangle[] = [];
  constructor(boxes: Iterable<Box>) {
    for (const box of boxes) this.taken.push({ left: box.x - 2, right: box.x + box.width + 2, top: box.y - 2, bottom: box.y + box.height + 2 });
  }
  place(text: string, x: number, y: number, width: number, height: number): SVGElement | null {
    const half = text_width(text) / 2 + 3;
    const middle = Math.min(Math.max(x, half), width - half);
    for (const shift of [-6, 16, -24, 34, -42, 52, -60, 70]) {
      const at = y + shift;
      const own = { left: middle - half, right: middle + half, top: at - 13, bottom: at + 4 };
      if (own.top < 0 || own.bottom > height || this.taken.some((other) => overlap(own, other))) continue;
      this.taken.push(own);
      return svg("text", { x: middle, y: at, class: "bond-name", "text-anchor": "middle" }, text);
    }
    return null;
  }
}

interface Drawing {
  element: SVGSVGElement;
  width: number;
  height: number;
}

function draw(nodes: Shown[], edges: Edge[], name: string, open_group: (group: string) => void): Drawing {
  const { boxes, width, height } = layout(nodes, edges);
  const drawing = svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": name },
    svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0,0 L8,4 L0,8 z", class: "arrow" }))),
  );
  const between = new Map<string, number>();
  const names = new Labels(boxes.values());
  const labels: (SVGElement | null)[] = [];
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
    if (edge.label) labels.push(names.place(shortened(edge.label, 22), path.x, path.y, width, height));
  }
  for (const box of boxes.values()) {
    const group = svg("g", { class: `node${box.element ? " element" : ""}${box.group ? " group" : ""}`, "data-name": box.name });
    group.append(svg("rect", { x: box.x, y: box.y, width: box.width, height: box.height, rx: box.element ? box.height / 2 : 7 }), svg("title", {}, box.group ? `${box.name}: click to unfold` : box.name));
    box.lines.forEach((line, index) =>
      group.append(svg("text", { x: box.x + box.width / 2, y: box.y + 20 + 17 * index, "text-anchor": "middle", class: index === 0 ? "node-name" : "node-line" }, line)),
    );
    if (box.group) {
      group.setAttribute("tabindex", "0");
      group.setAttribute("role", "button");
      group.addEventListener("click", () => open_group(box.name));
      group.addEventListener("keydown", (event) => {
        if ((event as KeyboardEvent).key === "Enter") open_group(box.name);
      });
    }
    drawing.append(group);
  }
  for (const label of labels) if (label) drawing.append(label);
  return { element: drawing, width, height };
}

/** The part of the drawing that is seen. */
class View {
  private x = 0;
  private y = 0;
  private scale = 1; // of the drawing that fits
  constructor(
    private readonly box: HTMLElement,
    private drawing: Drawing,
  ) {
    let from: { x: number; y: number } | null = null;
    box.addEventListener("pointerdown", (event) => {
      if ((event.target as Element).closest(".group")) return;
      from = { x: event.clientX, y: event.clientY };
      box.setPointerCapture(event.pointerId);
    });
    box.addEventListener("pointermove", (event) => {
      if (!from) return;
      this.move(from.x - event.clientX, from.y - event.clientY);
      from = { x: event.clientX, y: event.clientY };
    });
    for (const end of ["pointerup", "pointercancel"]) box.addEventListener(end, () => (from = null));
    box.addEventListener(
      "wheel",
      (event) => {
        // A page is scrolled by the wheel unless the diagram was chosen, or a key says that it is meant.
        if (!event.ctrlKey && document.activeElement !== box) return;
        event.preventDefault();
        this.zoom(event.deltaY < 0 ? 1.25 : 0.8);
      },
      { passive: false },
    );
    box.addEventListener("keydown", (event) => {
      const keys: Record<string, () => void> = {
        "+": () => this.zoom(1.25),
        "=": () => this.zoom(1.25),
        "-": () => this.zoom(0.8),
        "0": () => this.fit(),
        ArrowLeft: () => this.move(-40, 0),
        ArrowRight: () => this.move(40, 0),
        ArrowUp: () => this.move(0, -40),
        ArrowDown: () => this.move(0, 40),
      };
      const action = keys[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      action();
    });
    this.show(drawing);
  }

  show(drawing: Drawing): void {
    this.drawing = drawing;
    this.box.replaceChildren(drawing.element);
    // No larger than it was drawn, and no higher than most of a screen.
    drawing.element.style.maxWidth = `${drawing.width}px`;
    drawing.element.style.aspectRatio = `${drawing.width} / ${drawing.height}`;
    this.fit();
  }
  fit(): void {
    [this.x, this.y, this.scale] = [0, 0, 1];
    this.update();
  }
  zoom(factor: number): void {
    const next = Math.min(40, Math.max(1, this.scale * factor));
    const { width, height } = this.drawing;
    this.x += (width / this.scale - width / next) / 2;
    this.y += (height / this.scale - height / next) / 2;
    this.scale = next;
    this.update();
  }
  /** By so many pixels. */
  private move(right: number, down: number): void {
    const per_pixel = this.drawing.width / this.scale / Math.max(1, this.drawing.element.clientWidth);
    this.x += right * per_pixel;
    this.y += down * per_pixel;
    this.update();
  }
  private update(): void {
    const { width, height, element } = this.drawing;
    const [w, h] = [width / this.scale, height / this.scale];
    this.x = Math.min(Math.max(this.x, 0), width - w);
    this.y = Math.min(Math.max(this.y, 0), height - h);
    element.setAttribute("viewBox", `${this.x} ${this.y} ${w} ${h}`);
  }
}

export function diagram(system: System): HTMLElement {
  const all_edges = edges_of(system);
  const opened = new Set<string>();
  const box = el("div", { class: "diagram", tabindex: 0, role: "region", "aria-label": "System diagram" });
  const name = `${system.nodes.length} subsystems and elements, ${system.bonds.length} bonds`;
  const make = (): Drawing => {
    const { nodes, place, groups } = folded(system, opened);
    fold.hidden = opened.size === 0;
    folds.hidden = groups === 0 && opened.size === 0;
    return draw(nodes, folded_edges(all_edges, place), name, (group) => {
      opened.add(group);
      view.show(make());
    });
  };
  const button = (text: string, label: string, click: () => void): HTMLElement => el("button", { type: "button", "aria-label": label, click }, text);
  const fold = button("Fold", "Fold all groups", () => {
    opened.clear();
    view.show(make());
  });
  const folds = el("span", { class: "key" }, `Groups of the ${system.nodes.length} are folded: click one to unfold it.`);
  const view: View = new View(box, make());
  return el(
    "div",
    {},
    el(
      "div",
      { class: "buttons no-print", role: "toolbar", "aria-label": "Tools of the diagram" },
      button("+", "Magnify the diagram", () => view.zoom(1.25)),
      button("−", "Make the diagram smaller", () => view.zoom(0.8)),
      button("Fit", "Fit the diagram into its box", () => view.fit()),
      fold,
      folds,
    ),
    box,
    el("p", { class: "key" }, "Thick lines are power bonds (energy is accounted for), arrows are signals. Hover over a line for its ports. Drag: move · with the diagram chosen: wheel, + −, arrows, 0."),
  );
}
