// Where the animation goes. Its script is a part of its own, in pages that need it: it is found by its name.

import type { Run } from "./data";
import { load, times } from "./data";
import { move_cursor, on_cursor } from "./cursor";
import { el } from "./dom";
import { look, on_look } from "./theme";
import type { Animate, AnimationInput } from "./animation_input";

export function animation_section(run: Run): HTMLElement {
  const place = el("div", { class: "animation" });
  const animate = (window as unknown as { ergon_animate?: Animate }).ergon_animate;
  const geometry = run.tables.geometry;
  const column = geometry?.columns[0];
  const base = geometry?.bases[0];
  if (!animate || !geometry || !column || !base || !run.system?.scene) {
    place.append(el("p", {}, "This page holds no animation."));
    return place;
  }
  const scene = run.system.scene;
  void Promise.all([times(base), load(column.block)]).then(([time, values]) => {
    const input: AnimationInput = { place, scene, times: time, values, dark: look().dark, moved: (at) => move_cursor(at, place) };
    try {
      const animation = animate(input);
      on_look((current) => animation.set_dark(current.dark));
      on_cursor((at, source) => {
        if (source !== place && at !== null) animation.seek(at);
      });
    } catch (error) {
      place.append(el("p", { class: "failure" }, `The animation cannot be shown here: ${String(error)}. It needs WebGL.`));
    }
  });
  return place;
}
