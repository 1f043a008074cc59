// The table of a sweep as the page uses it: columns as numbers, runs that are shown, colours of verdicts.

import { load, type StudyTable, type SweepStudy } from "./data";
import { look } from "./theme";

export interface Quantity {
  name: string;
  values: Float64Array; // per run; NaN where there is none
  words?: string[]; // what the numbers stand for
  is_setting: boolean;
}

export const verdict_order = ["reliable", "consistent", "not monitored", "doubtful", "unreliable", "no result"];

/** Columns of the table that are figures of a run, beside settings and measures. */
const figures = ["error_ratio", "artificial_energy", "exchanged_energy", "stored_energy", "dissipated_energy", "energy_drift", "steps"];

export class Runs {
  shown: Uint8Array; // per run
  #listeners: (() => void)[] = [];

  constructor(
    readonly study: SweepStudy,
    readonly numbers: Float64Array,
    readonly verdicts: Uint8Array, // index into verdict_order
    readonly quantities: Quantity[],
    readonly texts: Map<string, string[]>, // status, verdict, message of each run
  ) {
    this.shown = new Uint8Array(numbers.length).fill(1);
  }

  get count(): number {
    return this.numbers.length;
  }
  get settings(): Quantity[] {
    return this.quantities.filter((q) => q.is_setting);
  }
  /** Measures first, then figures that vary. */
  get outcomes(): Quantity[] {
    return this.quantities.filter((q) => !q.is_setting);
  }
  quantity(name: string): Quantity {
    return this.quantities.find((q) => q.name === name) ?? (this.quantities[0] as Quantity);
  }
  on_change(listener: () => void): void {
    this.#listeners.push(listener);
  }
  show_verdicts(wanted: Set<number>): void {
    for (let i = 0; i < this.count; ++i) this.shown[i] = wanted.has(this.verdicts[i] as number) ? 1 : 0;
    for (const listener of this.#listeners) listener();
  }
}

function varies(values: Float64Array): boolean {
  let first: number | undefined;
  for (const v of values) {
    if (!Number.isFinite(v)) continue;
    if (first === undefined) first = v;
    else if (v !== first) return true;
  }
  return false;
}

export async function runs_of(study: SweepStudy, table: StudyTable): Promise<Runs> {
  const columns = new Map<string, { values: Float64Array; texts?: string[] }>();
  for (const column of table.columns) {
    const values = await load(column.block);
    columns.set(column.name, column.texts ? { values, texts: column.texts } : { values });
  }
  const words = (name: string): string[] => {
    const column = columns.get(name);
    return Array.from({ length: table.rows }, (_, i) => {
      const value = column?.values[i] ?? NaN;
      return column?.texts ? (column.texts[value] ?? "") : "";
    });
  };
  const texts = new Map(["status", "verdict", "message", "worst"].map((name) => [name, words(name)]));
  const verdicts = Uint8Array.from(texts.get("status") ?? [], (status, i) => {
    const whole = status === "finished" || status === "ended";
    const verdict = verdict_order.indexOf(texts.get("verdict")?.[i] ?? "");
    return whole && verdict >= 0 ? verdict : verdict_order.length - 1;
  });
  const quantities: Quantity[] = [];
  const add = (name: string, is_setting: boolean): void => {
    const column = columns.get(name);
    if (!column) return;
    quantities.push(column.texts ? { name, values: column.values, words: column.texts, is_setting } : { name, values: column.values, is_setting });
  };
  for (const setting of study.settings) add(setting, true);
  for (const measure of study.measures) add(measure.name, false);
  for (const figure of figures) if (varies(columns.get(figure)?.values ?? new Float64Array())) add(figure, false);
  return new Runs(study, columns.get("run")?.values ?? new Float64Array(table.rows), verdicts, quantities, texts);
}

export function verdict_colour(verdict: number): string {
  const { series, faint } = look();
  return [series[2], series[0], faint, series[4], series[1], faint][verdict] as string;
}
export const verdict_shape = (verdict: number): number => [0, 1, 1, 2, 3, 3][verdict] as number;
