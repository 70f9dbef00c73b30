import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { isObject } from "../../engine/json.ts";

/** So much of a conversation's end is read; what is older has been compacted long ago. */
const mostBytes = 8_000_000;

/** The end of a part of a file, from its first whole line; undefined when there is no such file. */
export function readPart(
  path: string,
  {
    from = 0,
    until = Number.POSITIVE_INFINITY,
    most = mostBytes,
  }: { from?: number; until?: number | undefined; most?: number } = {},
): string | undefined {
  if (path === "") return undefined;
  try {
    // Opening a pipe would wait for a writer, past every deadline.
    if (!statSync(path).isFile()) return undefined;
    const file = openSync(path, "r");
    try {
      const end = Math.min(fstatSync(file).size, until);
      const start = Math.max(from, end - most);
      const bytes = Buffer.alloc(Math.max(0, end - start));
      const text = bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, start));
      // No store takes NUL, and tools print all kinds of things.
      return (start === from ? text : text.slice(text.indexOf("\n") + 1)).replaceAll("\\u0000", "\\ufffd");
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

/** The objects of a JSONL text; lines that hold none, perhaps cut off by a crash, are left out. */
export function parseObjects(text: string): Record<string, unknown>[] {
  return text.split("\n").flatMap((line) => {
    try {
      const value: unknown = line.trim() === "" ? undefined : JSON.parse(line);
      return isObject(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}
