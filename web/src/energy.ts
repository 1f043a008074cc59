// The energy page: what subsystems hold, whether the sum is kept, and what each bond has made or lost.

import { type BondFigures, type Run, type Series, type Table, find_column, series } from "./data";
import { el, table } from "./dom";
import { number, percent, with_unit } from "./format";
import { type Curve, PlotGroup, type Shade, TimePlot } from "./plot";

async function curves_of(source: Table, names: [string, string][]): Promise<Curve[]> {
  const found: Curve[] = [];
  for (const [name, label] of names) {
    const column = find_column(source, name);
    if (column) found.push({ label, unit: column.unit, samples: await series(source, column) });
  }
  return found;
}

/** Sums of columns with the same times. */
export async function total(source: Table, figures: string[]): Promise<Series | null> {
  const columns = source.columns.filter((column) => figures.some((figure) => column.name.endsWith(figure)));
  const lists = await Promise.all(columns.map((column) => series(source, column)));
  const first = lists[0];
  if (!first) return null;
  const y = new Float64Array(first.y.length);
  for (const list of lists) for (let i = 0; i < y.length; ++i) y[i] = (y[i] as number) + (list.y[i] as number);
  return { x: first.x, y };
}

/** Stored and dissipated energy less what sources inside supplied. Runs of older versions have no such column. */
export async function balance_of(source: Table): Promise<Series | null> {
  const kept = await total(source, [".stored", ".dissipated"]);
  const supplied = await total(source, [".supplied"]);
  if (!kept || !supplied) return kept;
  return { x: kept.x, y: kept.y.map((value, i) => value - (supplied.y[i] as number)) };
}

export function minus_start(list: Series): Series {
  const start = list.y[0] ?? 0;
  return { x: list.x, y: list.y.map((value) => value - start) };
}

function shades_of(run: Run, bond?: string): Shade[] {
  const shades: Shade[] = [];
  const reasons = run.summary?.verdict?.reasons;
  // Of a file that was edited by hand there may be anything; plots are made after their section, outside of its guard.
  for (const reason of Array.isArray(reasons) ? reasons : []) {
    if (reason.says !== "doubtful" && reason.says !== "unreliable") continue;
    if (bond !== undefined && reason.bond !== undefined && reason.bond !== bond) continue;
    if (reason.from_s === undefined || reason.to_s === undefined) continue;
    shades.push({ from: reason.from_s, to: reason.to_s, kind: reason.says, what: reason.what });
  }
  return shades;
}

async function subsystem_plots(run: Run, group: PlotGroup): Promise<HTMLElement[]> {
  const source = run.tables.energy;
  if (!source) return [el("p", {}, "No subsystem of this run keeps an energy account over time.")];
  const stored = new TimePlot({ title: "Stored energy per subsystem", group, shades: shades_of(run) });
  const names = source.columns.filter((column) => column.name.endsWith(".stored"));
  stored.set(await curves_of(source, names.map((column) => [column.name, column.node])));
  const balance = new TimePlot({ title: "Energy balance since the start: what was stored, dissipated, supplied and received by all subsystems and elements together", group, shades: shades_of(run) });
  const curves: Curve[] = [];
  const add = (label: string, list: Series | null): void => {
    if (list) curves.push({ label, unit: "J", samples: minus_start(list) });
  };
  add("stored", await total(source, [".stored"]));
  add("dissipated", await total(source, [".dissipated"]));
  const supplied = await total(source, [".supplied"]);
  const supplies = supplied !== null && supplied.y.some((value) => value !== 0);
  if (supplies) add("supplied inside", supplied);
  add(supplies ? "stored + dissipated − supplied" : "stored + dissipated", await balance_of(source));
  add("received through inputs", await total(source, [".received"]));
  balance.set(curves);
  return [
    stored.element,
    balance.element,
    el("p", { class: "key" }, "In a closed system stored + dissipated − supplied stays 0; supplied is what pumps, motors and other sources inside of subsystems give. The total work through all inputs is the work of source subsystems plus the artificial energy of the coupling."),
  ];
}

const energy_columns: [string, string][] = [
  ["interface_energy", "interface energy (inputs that were applied)"],
  ["residual_energy", "residual energy (sampled variables)"],
  ["imbalance_energy", "exact imbalance (accounts of both ends)"],
];

async function bond_plots(run: Run, bond: string, group: PlotGroup): Promise<HTMLElement[]> {
  const source = run.tables.bonds;
  if (!source) return [];
  const shades = shades_of(run, bond);
  const named = (list: [string, string][]): [string, string][] => list.map(([figure, label]) => [`${bond}.${figure}`, label]);
  const elements: HTMLElement[] = [];
  const plots: TimePlot[] = [];
  const add = async (title: string, list: [string, string][]): Promise<TimePlot | null> => {
    const curves = (await curves_of(source, named(list))).filter((curve) => curve.samples.y.some(Number.isFinite));
    if (curves.length === 0) return null;
    const plot = new TimePlot({ title, group, shades });
    plot.set(curves);
    plots.push(plot);
    elements.push(plot.element);
    return plot;
  };
  await add(`${bond}: artificial energy since the start`, energy_columns);
  await add(`${bond}: residual power`, [
    ["interface_power", "interface power"],
    ["residual_power", "residual power"],
  ]);
  await add(`${bond}: power into side b`, [["power", "power"]]);
  const correction = find_column(source, `${bond}.correction`);
  if (correction) {
    const effort = await series(source, correction);
    const capped_column = find_column(source, `${bond}.correction_capped`);
    const figure = run.system?.bonds.find((b) => b.name === bond);
    const unit = figure?.effort_unit ?? "";
    const curves: Curve[] = [{ label: "effort added", unit, samples: effort }];
    if (capped_column) {
      const capped = await series(source, capped_column);
      const where = [...capped.y.keys()].filter((i) => capped.y[i] === 1);
      if (where.length > 0) {
        const samples = { x: Float64Array.from(where, (i) => capped.x[i] as number), y: Float64Array.from(where, (i) => effort.y[i] as number) };
        curves.push({ label: `saturated here (${where.length} points)`, unit, samples, points: true });
      }
    }
    const plot = new TimePlot({ title: `${bond}: correction applied, and where it was saturated`, group, shades });
    plot.set(curves);
    elements.push(plot.element);
    await add(`${bond}: correction work`, [["correction_energy", "correction work"]]);
  }
  return elements;
}

function bonds_table(run: Run): HTMLElement {
  const bonds = Object.entries(run.summary?.bonds ?? {});
  const corrected = bonds.some(([, b]) => b.correction);
  const rows = bonds.map(([name, b]) => [
    name,
    number(b.exchanged_energy_J, 6),
    number(b.interface_energy_J, 6),
    number(b.residual_energy_J, 6),
    b.imbalance_energy_J === undefined ? "–" : number(b.imbalance_energy_J, 6),
    number(b.max_interface_power_W, 6),
    ...(corrected ? [b.correction ? with_unit(b.correction.energy_J, "J", 6) : "–", b.correction ? String(b.correction.capped_points) : "–"] : []),
  ]);
  return table(
    ["bond", "exchanged in J", "interface energy in J", "residual energy in J", "exact imbalance in J", "largest interface power in W", ...(corrected ? ["correction work", "saturated points"] : [])],
    rows,
    "Power bonds",
  );
}

/** Artificial over exchanged energy, the bond with the largest share first, and what is good. */
function artificial_share(run: Run): HTMLElement | null {
  const bonds = Object.entries(run.summary?.bonds ?? {}).filter(([, b]) => b.exchanged_energy_J > 0);
  if (bonds.length === 0) return null;
  const made = (b: BondFigures): number => Math.abs(b.imbalance_energy_J ?? b.interface_energy_J);
  const share = (b: BondFigures): number => made(b) / b.exchanged_energy_J;
  bonds.sort((a, b) => share(b[1]) - share(a[1]));
  const [worst, figures] = bonds[0] as [string, BondFigures];
  const value = share(figures);
  const good = value <= 0.01 ? "good" : value <= 0.05 ? "acceptable for many purposes" : "too much";
  return el(
    "p",
    { class: "sentence", id: "artificial-share" },
    `The coupling made or lost ${percent(value)} of the energy that was exchanged (bond ${worst}: ${with_unit(made(figures), "J", 3)} of ${with_unit(figures.exchanged_energy_J, "J", 4)}): ${good}. Up to 1 % is good; above 5 % take smaller steps, a better extrapolation or a correction.`,
  );
}

export function energy_section(run: Run): HTMLElement {
  const group = new PlotGroup();
  const place = el("div", { class: "plots" });
  void subsystem_plots(run, group).then((elements) => place.append(...elements));
  const bonds = Object.entries(run.summary?.bonds ?? {}).sort((a, b) => Math.abs(b[1].interface_energy_J) - Math.abs(a[1].interface_energy_J));
  const names = bonds.length > 0 ? bonds.map(([name]) => name) : (run.system?.bonds ?? []).map((bond) => bond.name);
  const parts: (HTMLElement | null)[] = [artificial_share(run), place];
  if (names.length > 0 && run.tables.bonds) {
    const bond_place = el("div", { class: "plots" });
    const choose = el("select", { id: "bond-choice" }, ...names.map((name) => el("option", { value: name }, name)));
    const show = async (): Promise<void> => bond_place.replaceChildren(...(await bond_plots(run, choose.value, group)));
    choose.addEventListener("change", () => void show());
    void show();
    if (bonds.length > 0) parts.push(bonds_table(run));
    parts.push(el("p", { class: "no-print" }, el("label", { for: "bond-choice" }, "Bond: "), choose));
    if (shades_of(run).length > 0)
      parts.push(el("p", { class: "key" }, el("span", { class: "swatch doubtful" }), " doubtful, ", el("span", { class: "swatch unreliable" }), " unreliable intervals are shaded."));
    parts.push(bond_place);
  } else {
    parts.push(el("p", {}, "The system has no power bonds, so the energy created or destroyed by the coupling cannot be measured."));
  }
  return el("div", {}, ...parts);
}
