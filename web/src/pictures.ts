// The figures of a paper, drawn from our runs: over time with zoom, everything else as curves and marks.

import { chart } from "./chart";
import { type Picture, load, times } from "./data";
import { el } from "./dom";
import { unit as unit_text } from "./format";
import { type Curve, TimePlot } from "./plot";

const with_unit = (label: string, unit: string): string => {
  const shown = unit_text(unit);
  return shown ? `${label} in ${shown}` : label;
};

const title_of = (picture: Picture): string => `${picture.figure}. ${picture.title}`;

async function draw_over_time(picture: Picture): Promise<HTMLElement> {
  const plot = new TimePlot({ title: title_of(picture), x_label: with_unit(picture.x_label, picture.x_unit) });
  const curves: Curve[] = await Promise.all(
    picture.curves.map(async (curve) => {
      const drawn: Curve = { label: curve.label, unit: picture.y_unit, samples: { x: await times(curve.x), y: await load(curve.block) } };
      if (curve.points_only) drawn.points = true;
      return drawn;
    }),
  );
  queueMicrotask(() => plot.set(curves));
  return plot.element;
}

async function draw_curves(picture: Picture): Promise<HTMLElement> {
  const curves = await Promise.all(
    picture.curves.map(async (curve) => ({ label: curve.label, x: [...(await times(curve.x))], y: [...(await load(curve.block))], marks_only: curve.points_only })),
  );
  const { figure } = chart(() => curves, { title: title_of(picture), x_label: with_unit(picture.x_label, picture.x_unit), y_label: with_unit(picture.y_label, picture.y_unit) });
  return figure;
}

/** Filled where the numbers are unpacked. */
export function pictures(all: Picture[]): HTMLElement[] {
  if (all.length === 0) return [];
  const places = all.map((picture) => {
    const place = el("div", { class: "picture" });
    const drawing = picture.x_unit === "s" && picture.x_label === "time" ? draw_over_time(picture) : draw_curves(picture);
    void drawing.then((figure) => place.replaceChildren(figure));
    return place;
  });
  return [el("h3", {}, `Figures of ${[...new Set(all.map((p) => p.paper))].join(", ")}, drawn from these runs`), el("div", { class: "charts" }, ...places)];
}
