// What the page and the script of the animation tell each other.

import type { ScenePart } from "./data";

export interface AnimationInput {
  place: HTMLElement;
  scene: ScenePart[];
  times: Float64Array;
  values: Float64Array; // column behind column, as in geometry.csv
  dark: boolean;
  moved: (time: number) => void; // where its own time line is
}
export interface Animation {
  set_dark(dark: boolean): void;
  seek(time: number): void;
}
export type Animate = (input: AnimationInput) => Animation;
