import { isObject } from "../engine/json.ts";
import type { TranscriptWarning } from "./transcript.ts";

export interface ParsedLine {
  /** Counted from 1. */
  line: number;
  value: Record<string, unknown>;
}

/** A line longer than this is not a message but an accident; parsing it would take gigabytes. */
const longestLine = 64_000_000;

/** The JSON objects of a JSONL text, and a warning for every line that holds none. */
export function parseLines(text: string): { lines: ParsedLine[]; warnings: TranscriptWarning[] } {
  const lines: ParsedLine[] = [];
  const warnings: TranscriptWarning[] = [];
  let line = 0;
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start) === -1 ? text.length : text.indexOf("\n", start);
    line++;
    const length = end - start;
    if (length > longestLine)
      warnings.push({ line, message: `Skipped: ${length} characters, more than ${longestLine}.` });
    else {
      // Trimming drops a byte order mark and the "\r" of CRLF too.
      const source = text.slice(start, end).trim();
      const value = source === "" ? undefined : parseJson(source);
      if (isObject(value)) lines.push({ line, value });
      else if (source !== "")
        warnings.push({ line, message: "Skipped: not a JSON object, perhaps cut off by a crash." });
    }
    start = end + 1;
  }
  return { lines, warnings };
}

function parseJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}

/** A count that can be added up; anything else is none. */
export function countIn(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

/** Milliseconds, or 0 when the value is no time. */
export function timeIn(value: unknown): number {
  if (typeof value === "number") return countIn(value);
  return typeof value === "string" ? Date.parse(value) || 0 : 0;
}
