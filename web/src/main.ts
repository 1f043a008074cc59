import { compare_page } from "./compare_page";
import { page_data } from "./data";
import { el } from "./dom";
import { gallery_page } from "./gallery_page";
import { run_page } from "./run_page";
import { converge_page } from "./converge_page";
import { sweep_page } from "./sweep_page";
import { look, on_look, start_theme, toggle_theme } from "./theme";
import { shown_plots } from "./variable_plots";

function start(): void {
  start_theme();
  const data = page_data();
  const pages = { report: run_page, compare: compare_page, gallery: gallery_page, sweep: sweep_page, converge: converge_page };
  const sections = pages[data.kind](data);
  const toggle = el("button", { type: "button", class: "theme", click: toggle_theme });
  const name_toggle = (): void => {
    toggle.textContent = look().dark ? "Light" : "Dark";
    toggle.setAttribute("aria-label", look().dark ? "Switch to light colours" : "Switch to dark colours");
  };
  name_toggle();
  on_look(name_toggle);
  const links = sections
    .filter((s) => s.id)
    .map((s) => el("li", {}, el("a", { href: `#${s.id}` }, s.querySelector("h2")?.textContent ?? s.id)));
  document.getElementById("app")?.append(
    el("a", { class: "skip", href: "#content" }, "To the content"),
    el(
      "header",
      {},
      el("div", { class: "title" }, el("h1", {}, data.title), el("p", { class: "made" }, `ergon ${data.ergon_version}`)),
      el("nav", { "aria-label": "Parts of this page" }, el("ul", {}, ...links)),
      toggle,
    ),
    el("main", { id: "content", tabindex: -1 }, ...sections),
  );
  // What tests look at.
  (window as unknown as Record<string, unknown>)["ergon_plots"] = shown_plots;
}

start();
