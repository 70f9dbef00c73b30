import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { parseObject } from "../../engine/json.ts";

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

type JsonObject = Record<string, unknown>;

export interface JsonLine {
  /** Counted from 1. */
  line: number;
  value: JsonObject;
}

export interface LineWarning {
  /** Counted from 1. */
  line: number;
  message: string;
}

/** No real message is longer, and parsing such a line would take gigabytes. */
const maxLineLength = 64_000_000;

/** The JSON objects of a JSONL text, and a warning for every other line. */
export function parseJsonLines(text: string): { lines: JsonLine[]; warnings: LineWarning[] } {
  const lines: JsonLine[] = [];
  const warnings: LineWarning[] = [];
  for (const read of readJsonLines(text)) {
    if ("value" in read) lines.push(read);
    else warnings.push(read);
  }
  return { lines, warnings };
}

/** The JSON objects of a JSONL text, one after the other: a long transcript need not be in memory as objects. */
export function* jsonObjects(text: string): Generator<JsonObject> {
  for (const read of readJsonLines(text)) if ("value" in read) yield read.value;
}

function* readJsonLines(text: string): Generator<JsonLine | LineWarning> {
  let line = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    line++;
    const length = end - start;
    if (length > maxLineLength)
      yield { line, message: `Skipped: ${length} characters, more than ${maxLineLength}.` };
    else {
      // Trimming drops a byte order mark and the "\r" of CRLF too.
      const source = text.slice(start, end).trim();
      const value = source === "" ? undefined : parseObject(source);
      if (value) yield { line, value };
      else if (source !== "")
        yield { line, message: "Skipped: not a JSON object, perhaps cut off by a crash." };
    }
    start = end + 1;
  }
}

/** The object in a host's settings file; `{}` if there is no such file, or one that the host itself rejects. */
export function readSettings(path: string): JsonObject {
  try {
    return parseObject(readFileSync(path, "utf8")) ?? {};
  } catch {
    return {};
  }
}

/** A positive finite number; 0 for anything else. */
export function countIn(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

/** Milliseconds; 0 if the value is not a time. */
export function timeIn(value: unknown): number {
  if (typeof value === "number") return countIn(value);
  return typeof value === "string" ? Date.parse(value) || 0 : 0;
}
