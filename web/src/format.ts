// Numbers and units as people read them.

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function exponent(power: number): string {
  const digits = [...String(Math.abs(power))].map((d) => superscripts[Number(d)]).join("");
  return (power < 0 ? "⁻" : "") + digits;
}

/** A number with so many significant digits: 0.00123, 12,300 or 1.2·10⁻⁷. */
export function number(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  const sign = value < 0 ? "−" : "";
  if (size < -4 || size >= 7) {
    const [mantissa, power] = Math.abs(value).toExponential(digits - 1).split("e") as [string, string];
    const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    return `${sign}${short === "1" ? "" : `${short}·`}10${exponent(Number(power))}`;
  }
  const decimals = Math.max(0, Math.min(20, digits - 1 - size));
  const text = Math.abs(value).toFixed(decimals);
  return sign + (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
}

/** "m/s2" → "m/s²", "N.m" → "N·m" */
export function unit(text: string): string {
  if (text === "1") return "";
  return text
    .replace(/\^?(-?\d+)/g, (_, power: string) => exponent(Number(power)))
    .replace(/[.*]/g, "·");
}

export function with_unit(value: number | null | undefined, text: string, digits = 4): string {
  const shown = unit(text);
  return number(value, digits) + (shown ? `\u202f${shown}` : "");
}

export function percent(share: number): string {
  if (share !== 0 && Math.abs(share) < 0.001) return `${number(100 * share, 1)}\u202f%`;
  return `${number(100 * share, 2)}\u202f%`;
}

export function seconds(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0\u202fs";
  if (size < 1e-6) return `${number(value * 1e9, digits)}\u202fns`;
  if (size < 1e-3) return `${number(value * 1e6, digits)}\u202fµs`;
  if (size < 1) return `${number(value * 1e3, digits)}\u202fms`;
  return `${number(value, digits)}\u202fs`;
}

export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}
