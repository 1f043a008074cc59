// What differs between the scenarios of runs: their resolved files, key by key.

import type { Run } from "./data";
import { el, table } from "./dom";

/** Keys of a resolved scenario by their path, "subsystem left.parameters" and the like, with their values as they are written. Where it
 *  came from is no setting. */
export function settings_of(scenario: string): Map<string, string> {
  const settings = new Map<string, string>();
  let head = "";
  let lines: [string, string][] = [];
  const flush = (): void => {
    const name = lines.find(([key]) => key === "name")?.[1].replace(/^"|"$/g, "");
    if (!head.startsWith("provenance"))
      for (const [key, value] of lines) if (key !== "name") for (const [path, part] of parts_of(key, value)) settings.set([head, name].filter((text) => text).join(" ") + `.${path}`, part);
    lines = [];
  };
  let pending = "";
  for (const line of scenario.split("\n")) {
    const table_head = pending === "" ? /^\[\[?([^\]]+)\]\]?\s*$/.exec(line) : null;
    if (table_head) {
      flush();
      head = (table_head[1] as string).trim();
      continue;
    }
    pending = pending === "" ? line : `${pending}\n${line}`;
    // A text over several lines goes on until its quotes are closed.
    if ((pending.split('"""').length - 1) % 2 === 1) continue;
    const pair = /^\s*("[^"]*"|[\w.-]+)\s*=\s*([^]*)$/.exec(pending);
    if (pair) lines.push([(pair[1] as string).replace(/^"|"$/g, ""), (pair[2] as string).trim()]);
    pending = "";
  }
  flush();
  return settings;
}

/** The entries of an inline table, one by one; anything else as it is. */
function parts_of(key: string, value: string): [string, string][] {
  if (!value.startsWith("{") || !value.endsWith("}")) return [[key, value]];
  const parts: [string, string][] = [];
  let depth = 0;
  let quoted = false;
  let part = "";
  const take = (): void => {
    const pair = /^\s*("[^"]*"|[\w.-]+)\s*=\s*([^]*)$/.exec(part);
    if (pair) parts.push(...parts_of(`${key}.${(pair[1] as string).replace(/^"|"$/g, "")}`, (pair[2] as string).trim()));
    part = "";
  };
  for (const c of value.slice(1, -1)) {
    if (c === '"') quoted = !quoted;
    if (!quoted && (c === "[" || c === "{")) ++depth;
    if (!quoted && (c === "]" || c === "}")) --depth;
    if (c === "," && depth === 0 && !quoted) take();
    else part += c;
  }
  take();
  return parts;
}

const most = 200;
const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

export function settings_table(runs: Run[]): HTMLElement {
  const known = runs.filter((run) => run.scenario !== "");
  if (known.length < 2) return el("p", {}, "At most one of these has a scenario, so settings cannot be compared.");
  const settings = known.map((run) => settings_of(run.scenario));
  const keys = [...new Set(settings.flatMap((of_run) => [...of_run.keys()]))];
  const different = keys.filter((key) => new Set(settings.map((of_run) => of_run.get(key))).size > 1);
  if (different.length === 0) return el("p", {}, "All settings are the same.");
  const rows = different.slice(0, most).map((key) => [
    key,
    ...settings.map((of_run) => {
      const value = of_run.get(key);
      return value === undefined ? "–" : el("span", { title: value }, shortened(value));
    }),
  ]);
  return el(
    "div",
    {},
    table(["setting", ...known.map((run) => run.name)], rows, "Settings that differ"),
    different.length > most ? el("p", {}, `… and ${different.length - most} more.`) : null,
  );
}
