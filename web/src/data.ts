// What the command has put into the page (src/report/page_data.cpp writes it, docs/adr/0023 tells why so).

export interface Column {
  name: string;
  unit: string;
  node: string;
  kind: "number" | "whole" | "text";
  texts?: string[]; // of kind text: what its numbers stand for
  block: number;
  base: number; // which of the table's time bases its samples lie at
  description?: string;
  low?: number; // of its finite values
  high?: number;
}
export interface TimeBase {
  start?: number; // start + k·step, or a block of times
  step?: number;
  count: number;
  block?: number;
}
export interface Table {
  rows: number;
  bases: TimeBase[];
  columns: Column[];
}
export interface Reason {
  what: string;
  kind: string;
  says: string;
  bond?: string;
  subsystems?: string[];
  from_s?: number;
  to_s?: number;
}
export interface Energy {
  initial_stored_J: number;
  final_stored_J: number;
  dissipated_J: number;
  supplied_J?: number;
  max_drift_J?: number;
}
export interface BondFigures {
  exchanged_energy_J: number;
  residual_energy_J: number;
  interface_energy_J: number;
  imbalance_energy_J?: number;
  max_interface_power_W: number;
  correction?: { energy_J: number; capped_points: number };
}
export interface Motion {
  check?: string;
  checked?: boolean;
  why_not?: string;
  value?: string;
  step_factor?: number;
  worst?: string;
  ratio?: number | null;
  excess?: number | null;
  right_until_s?: number | null;
  chaotic_after_s?: number | null;
  variables?: Record<string, VariableError>;
}
export interface VariableError {
  unit: string;
  judged: boolean;
  accuracy?: string;
  largest_error: number | null;
  ratio: number | null;
  excess?: number | null;
  at_s: number;
}
export interface Summary {
  ergon_version: string;
  status: string;
  verdict?: { value: string; reasons: Reason[]; try?: string; energy?: string; motion?: string };
  motion?: Motion;
  failure?: { subsystem: string; port?: string; time_s: number; what: string };
  start_time_s: number;
  stop_time_s: number;
  reached_time_s: number;
  points: number;
  wall_time_s: number;
  subsystems?: Record<string, { steps?: number; mean_step_s?: number; energy?: Energy }>;
  elements?: Record<string, { energy?: Energy }>;
  bonds?: Record<string, BondFigures>;
  energy?: Energy;
  step_control?: Record<string, number>;
  implicit?: Record<string, number>;
  files_complete?: boolean;
  warnings?: string[];
  notes?: string[];
}
export interface Shape {
  kind: "sphere" | "box" | "cylinder" | "capsule" | "plane";
  size: [number, number, number];
  position: [number, number, number];
  orientation: [number, number, number, number];
}
export interface ScenePart {
  owner: string;
  bodies: { name: string; fixed: boolean; shapes: Shape[] }[];
  lines: { name: string; points: number; radius: number }[];
  arrows: string[];
  up: [number, number, number];
}
export interface System {
  start_time_s: number;
  stop_time_s: number;
  scheme?: string;
  variable_steps?: boolean;
  nodes: { name: string; element: boolean; model?: string; step_s?: number }[];
  bonds: { name: string; effort_from: string; flow_from: string; effort: string; flow: string; effort_unit: string; flow_unit: string; components: number }[];
  signals: { from: string; to: string; ports: [string, string][] }[];
  scene?: ScenePart[];
}
export interface Run {
  name: string;
  summary: Summary | null;
  system: System | null;
  scenario: string;
  missing: string[]; // files that the folder does not have
  tables: Partial<Record<"results" | "bonds" | "energy" | "motion" | "geometry", Table>>;
}
export interface ComparedVariable {
  name: string;
  unit: string;
  max_error: number | null;
  rms_error: number | null;
  scale: number | null;
  at_s: number | null;
  relative: number | null;
  within: boolean | null;
}
export interface Comparison {
  run: string;
  variables: ComparedVariable[];
  missing: string[];
  remarks: string[];
}
export interface Figure {
  case: Record<string, number | string>;
  quantity: string;
  unit: string;
  paper: number | null;
  expected: { value?: number; rel?: number; abs?: number; min?: number; max?: number } | null;
  ours: number | null;
  holds: boolean;
  mark: "as published" | "not as published" | "regression" | "own figure";
  claim: string | null;
  source: { paper: string; place: string; printed: string; read: string; asks: string } | null;
  reason: string | null;
}
export interface Picture {
  paper: string;
  figure: string; // "Fig. 12, case 2"
  title: string;
  x_label: string;
  x_unit: string;
  y_label: string;
  y_unit: string;
  curves: { label: string; reference: boolean; points_only: boolean; x: TimeBase; block: number }[];
}
export interface Experiment {
  name: string;
  summary: string;
  statement: string[];
  seconds: number;
  setting_units: Record<string, string>;
  rows: Figure[];
  pictures: Picture[];
}
/** A column of a study: numbers, or numbers of its strings. */
export interface StudyColumn {
  name: string;
  block: number;
  texts?: string[];
}
export interface StudyTable {
  rows: number;
  columns: StudyColumn[];
}
export interface SobolIndex {
  setting: string;
  first: number;
  first_low: number;
  first_high: number;
  total: number;
  total_low: number;
  total_high: number;
}
/** study.json of `ergon sweep`. */
export interface SweepStudy {
  scenario: string;
  plan: string;
  samples: number;
  seed: number;
  runs: number;
  complete: boolean;
  settings: string[];
  measures: { name: string; text: string }[];
  overrides: string[];
  status: Record<string, number>;
  verdicts: Record<string, number>;
  kept: boolean;
  sobol_indices?: Record<string, SobolIndex[]>;
}
export interface ConvergenceVariable {
  name: string;
  unit: string;
  half_range: number | null;
  differences: (number | null)[];
  orders: (number | null)[];
  order: number | null;
  loss: string;
  lost_at_step_s?: number;
  lost_at_s?: number;
  errors: (number | null)[];
  bars: (number | null)[];
  last_value: number | null;
  last_value_bar: number | null;
}
/** converge.json of `ergon converge`. */
export interface ConvergenceStudy {
  steps_s: number[];
  compared_from_s: number;
  compared_to_s: number;
  samples: number;
  solvers_inside: string[];
  variables: ConvergenceVariable[];
  subsystems: { name: string; step_s: number; change: number | null; variable: string; share: number | null; failure?: string }[];
  steps_for_accuracy: { accuracy: number; step_s: number | null; variable: string }[];
  failure?: string;
}
export interface PageData {
  kind: "report" | "compare" | "gallery" | "sweep" | "converge";
  title: string;
  ergon_version: string;
  runs: Run[];
  reference?: string;
  tolerance?: number | null;
  comparisons?: Comparison[];
  renamed?: Record<string, string>; // what the reference calls a column, by the name that the runs have
  experiments?: Experiment[];
  study?: SweepStudy | ConvergenceStudy;
  table?: StudyTable;
  bands?: StudyTable;
}

export function page_data(): PageData {
  return JSON.parse(document.getElementById("page")?.textContent ?? "{}") as PageData;
}

async function inflate(block: number): Promise<Uint8Array> {
  const text = document.getElementById(`block-${block}`)?.textContent ?? "";
  const packed = atob(text);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; ++i) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Bytes of a block: 1 byte (4 or 8: the size of a number), 8 bytes offset, then the planes of bytes of the differences of the
 *  bit patterns. */
export function unpack(bytes: Uint8Array): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = bytes[0] ?? 4;
  const offset = view.getFloat64(1, true);
  const n = (bytes.length - 9) / size;
  const plane = (k: number): Uint8Array => bytes.subarray(9 + k * n, 9 + (k + 1) * n);
  const result = new Float64Array(n);
  if (size === 4) {
    const [a, b, c, d] = [plane(0), plane(1), plane(2), plane(3)] as const;
    const bits = new Int32Array(1);
    const float = new Float32Array(bits.buffer);
    let last = 0;
    for (let i = 0; i < n; ++i) {
      last = (last + ((a[i] as number) | ((b[i] as number) << 8) | ((c[i] as number) << 16) | ((d[i] as number) << 24))) | 0;
      bits[0] = last;
      result[i] = offset + (float[0] as number);
    }
    return result;
  }
  const planes = Array.from({ length: 8 }, (_, k) => plane(k));
  const bits = new BigInt64Array(1);
  const pair = new Uint32Array(1 * 2);
  const whole = new BigInt64Array(pair.buffer);
  const float = new Float64Array(bits.buffer);
  const byte = (k: number, i: number): number => (planes[k] as Uint8Array)[i] as number;
  for (let i = 0; i < n; ++i) {
    pair[0] = byte(0, i) | (byte(1, i) << 8) | (byte(2, i) << 16) | (byte(3, i) << 24);
    pair[1] = byte(4, i) | (byte(5, i) << 8) | (byte(6, i) << 16) | (byte(7, i) << 24);
    bits[0] = (bits[0] as bigint) + (whole[0] as bigint);
    result[i] = float[0] as number;
  }
  return result;
}

const blocks = new Map<number, Promise<Float64Array>>();
export function load(block: number): Promise<Float64Array> {
  let found = blocks.get(block);
  if (!found) blocks.set(block, (found = inflate(block).then(unpack)));
  return found;
}

const bases = new WeakMap<TimeBase, Promise<Float64Array>>();
export function times(base: TimeBase): Promise<Float64Array> {
  let found = bases.get(base);
  if (!found) {
    const { start = 0, step = 0 } = base;
    found = base.block !== undefined ? load(base.block) : Promise.resolve(Float64Array.from({ length: base.count }, (_, k) => start + k * step));
    bases.set(base, found);
  }
  return found;
}

export interface Series {
  x: Float64Array;
  y: Float64Array;
}
export async function series(table: Table, column: Column): Promise<Series> {
  const base = table.bases[column.base];
  if (!base) throw new Error(`no times for ${column.name}`);
  const [x, y] = await Promise.all([times(base), load(column.block)]);
  return { x, y };
}

export function find_column(table: Table | undefined, name: string): Column | undefined {
  return table?.columns.find((column) => column.name === name);
}
