// Light and dark: as the system says, until somebody chooses. Series keep their colours apart for all kinds of colour vision
// (the palette of Okabe and Ito), and from the fourth on their dashes, too.

export interface Look {
  text: string;
  faint: string;
  grid: string;
  card: string;
  series: string[];
  shade: { doubtful: string; unreliable: string };
  dark: boolean;
}

const light: Look = {
  text: "#1c2329",
  faint: "#5b6770",
  grid: "#e3e7ea",
  card: "#ffffff",
  series: ["#0072b2", "#d55e00", "#007a59", "#a34f83", "#b07800", "#2b8cbe", "#444b52"],
  shade: { doubtful: "rgba(230,159,0,0.20)", unreliable: "rgba(213,94,0,0.22)" },
  dark: false,
};
const dark: Look = {
  text: "#e6eaed",
  faint: "#a3afb8",
  grid: "#333c44",
  card: "#1d242a",
  series: ["#56b4e9", "#ff8f4a", "#2fd0a3", "#e69ac4", "#f0c04a", "#9fd3f2", "#cfd6db"],
  shade: { doubtful: "rgba(240,192,74,0.20)", unreliable: "rgba(255,143,74,0.26)" },
  dark: true,
};
const dashes: number[][] = [[], [], [], [7, 4], [2, 3], [10, 3, 2, 3], [4, 2]];

type Listener = (look: Look) => void;
const listeners: Listener[] = [];
const system = window.matchMedia("(prefers-color-scheme: dark)");
const printing = window.matchMedia("print");

function chosen(): string | null {
  try {
    return localStorage.getItem("ergon-theme");
  } catch {
    return null; // pages from disk may have no storage
  }
}

export function look(): Look {
  if (printing.matches) return light;
  const set = document.documentElement.dataset["theme"];
  return (set ? set === "dark" : system.matches) ? dark : light;
}

export function on_look(listener: Listener): void {
  listeners.push(listener);
}

function tell(): void {
  for (const listener of listeners) listener(look());
}

export function toggle_theme(): void {
  const next = look().dark ? "light" : "dark";
  document.documentElement.dataset["theme"] = next;
  try {
    localStorage.setItem("ergon-theme", next);
  } catch {
    // it holds for this page, then
  }
  tell();
}

export function start_theme(): void {
  const before = chosen();
  if (before === "dark" || before === "light") document.documentElement.dataset["theme"] = before;
  system.addEventListener("change", tell);
  printing.addEventListener("change", tell);
}

export function series_colour(index: number, current = look()): string {
  return current.series[index % current.series.length] as string;
}
export function series_dash(index: number): number[] {
  return dashes[index % dashes.length] as number[];
}
