import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";

/** Read only the end of a conversation; anything older was compacted long ago. */
const defaultMaxBytes = 8_000_000;

/** The last bytes of a part of a file, from its first whole line; undefined if there is no such file. */
export function readPart(
  path: string,
  {
    from = 0,
    until = Number.POSITIVE_INFINITY,
    maxBytes = defaultMaxBytes,
  }: { from?: number; until?: number | undefined; maxBytes?: number } = {},
): string | undefined {
  if (path === "") return undefined;
  try {
    // Opening a pipe would wait for a writer, past every deadline.
    if (!statSync(path).isFile()) return undefined;
    const file = openSync(path, "r");
    try {
      const end = Math.min(fstatSync(file).size, until);
      const start = Math.max(from, end - maxBytes);
      const bytes = Buffer.alloc(Math.max(0, end - start));
      const text = bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, start));
      // Stores reject NUL, but tools may print it.
      return (start === from ? text : text.slice(text.indexOf("\n") + 1)).replaceAll("\\u0000", "\\ufffd");
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

/** The size of a file in bytes; 0 without one. */
export function sizeOf(path: string): number {
  return path === "" ? 0 : (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
}
