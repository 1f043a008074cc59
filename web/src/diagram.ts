// The system as a drawing: subsystems in layers along the signals, bonds as thick lines, signals as arrows. It fits its box, can be moved
// and magnified, and of many subsystems those that belong together are one box until they are unfolded.

import type { System } from "./data";
import { type Box, type Edge, type Layout, type Room, type Shown, edge_line, layout, most_of_label, shortened, text_width } from "./diagram_layout";
import { el, on_resize, svg } from "./dom";

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

function draw(all: Layout, edges: Edge[], name: string, open_group: (group: string) => void): Drawing {
  const { boxes, width, height } = all;
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
    const path = edge_line(from, to, shift, all);
    drawing.append(svg("path", { d: path.d, class: edge.bond ? "bond" : "signal", "marker-end": edge.bond ? undefined : "url(#arrow)" }, svg("title", {}, edge.title)));
    if (edge.label) labels.push(names.place(shortened(edge.label, most_of_label), path.x, path.y, width, height));
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

/** Before the box is part of the page: about what it will have. */
function room_of(box: HTMLElement): Room {
  return { width: box.clientWidth || Math.min(1150, window.innerWidth - 50), height: 0.75 * window.innerHeight };
}

export function diagram(system: System): HTMLElement {
  const all_edges = edges_of(system);
  const opened = new Set<string>();
  const box = el("div", { class: "diagram", tabindex: 0, role: "region", "aria-label": "System diagram" });
  const name = `${system.nodes.length} subsystems and elements, ${system.bonds.length} bonds`;
  let arrangement = "";
  const arranged = (): { all: Layout; edges: Edge[] } => {
    const { nodes, place, groups } = folded(system, opened);
    fold.hidden = opened.size === 0;
    folds.hidden = groups === 0 && opened.size === 0;
    const edges = folded_edges(all_edges, place);
    return { all: layout(nodes, edges, room_of(box)), edges };
  };
  const make = ({ all, edges } = arranged()): Drawing => {
    arrangement = all.arrangement;
    return draw(all, edges, name, (group) => {
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
  // A window of another size, such as a telephone that is turned, may have room for another arrangement.
  let width = 0;
  on_resize(box, () => {
    if (Math.abs(box.clientWidth - width) < 2) return;
    width = box.clientWidth;
    const next = arranged();
    if (next.all.arrangement !== arrangement) view.show(make(next));
  });
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
