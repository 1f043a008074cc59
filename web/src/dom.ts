// Elements are made by these functions only: texts become text nodes, so that nothing that comes from a file is ever markup.

type Child = Node | string | null | undefined;
type Attributes = Record<string, string | number | boolean | EventListener | undefined>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined) continue;
    element.append(child);
  }
}

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  return el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title), ...children);
}

/** A section whose content is made of what files say. Where they were edited by hand and do not fit, it says so, and the others stay. */
export function guarded_section(id: string, title: string, make: () => Child[]): HTMLElement {
  try {
    return section(id, title, ...make());
  } catch (error) {
    return section(id, title, el("p", { class: "damaged" }, `This part cannot be shown: a file of the run is damaged (${String(error)}).`));
  }
}

/** Calls back in the next frame after the size of an element has changed: a size that is set at once is a loop to the browser. */
export function on_resize(element: Element, callback: () => void): void {
  let waits = false;
  new ResizeObserver(() => {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => {
      waits = false;
      callback();
    });
  }).observe(element);
}

/** A table; cells that are numbers are set right-aligned. */
export function table(head: string[], rows: (Child | number)[][], caption?: string): HTMLElement {
  const cell = (content: Child | number): HTMLElement =>
    typeof content === "number" || (typeof content === "string" && /^[−-]?[0-9]/.test(content))
      ? el("td", { class: "number" }, String(content))
      : el("td", {}, content);
  const body = rows.map((row) => el("tr", {}, ...row.map(cell)));
  const columns = head.map((text) => el("th", { scope: "col" }, text));
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption ?? head.join(", ") },
    el(
      "table",
      {},
      caption ? el("caption", {}, caption) : null,
      el("thead", {}, el("tr", {}, ...columns)),
      el("tbody", {}, ...body),
    ),
  );
}
