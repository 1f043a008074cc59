// Files that the page makes by itself, in the browser's memory.

export function download(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A title as the name of a file. */
export function file_name(title: string, ending: string): string {
  const safe = title.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^-+|-+$/g, "");
  return `${safe.slice(0, 60) || "plot"}.${ending}`;
}

/** As RFC 4180 wants it. */
export function csv_field(text: string): string {
  return /[,;\t"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
