import type { ReadFact } from "../../engine/records.ts";
import { type Fields, fieldsOf } from "./call-input.ts";
import { hashOf, isBlank, withoutEnd } from "./line-hash.ts";

/** Longer lines may have been cut. */
const maxLine = 400;

/** Fields that ask for a part of a file. */
const partFields = [
  "offset",
  "limit",
  "view_range",
  "start_line",
  "end_line",
  "from_line",
  "to_line",
  "pages",
];

/** A line of a file with mixed line ends may end with a carriage return, which a dot does not match by itself. */
const numberedLine = /^\s*(\d+)(?:→|\t)(.*)$/s;

type Shown = Omit<ReadFact, "path" | "last" | "at">;

/** The part of a file that a result shows; undefined if that cannot be known. */
export function shownPart(result: string, fields: Fields): Shown | undefined {
  const text = contentIn(result);
  const isWhole = partFields.every((field) => fields[field] === undefined);
  const [first = ""] = text.split("\n", 1);
  const from = Number(numberedLine.exec(first)?.[1] ?? 0);
  if (from > 0) return numberedPart(text, from, fields, isWhole);
  const begin = isWhole ? 1 : firstLine(fields);
  if (begin === undefined || text === "") return undefined;
  const until = lastLine(fields, begin);
  const lines = withoutBom(text).split("\n");
  // The line break after the last line that was asked for begins no line.
  const asked = until === 0 ? lines.length : until - begin + 1;
  const shown = lines.slice(asked).every(isBlank) ? lines.slice(0, asked) : lines;
  return { ...factOf(shown, begin), until, form: "text", isNumbered: false, isWhole, mayBeCut: true };
}

function numberedPart(text: string, from: number, fields: Fields, isWhole: boolean): Shown {
  const all = text.split("\n");
  // A host may write more below the lines, so stop where the numbers stop.
  const shown = withoutNumbers(all, from);
  const below = all.slice(shown.length).join("\n").trim();
  if (from === 1) shown[0] = withoutBom(shown[0] ?? "");
  return {
    ...factOf(shown, from),
    until: lastLine(fields, from),
    form: "numbers",
    // Tools cut long lines, so a difference in one says nothing.
    isNumbered: shown.every((line) => line.length < maxLine),
    isWhole,
    mayBeCut: mayBeCut(text, shown.length, below),
  };
}

function factOf(shown: readonly string[], from: number): Pick<Shown, "from" | "to" | "hash" | "exact"> {
  const hash = hashOf(withoutEnd(shown));
  const isPlain = !isBlank(shown.at(-1) ?? "") && !shown.some((line) => line.endsWith("\r"));
  const exact = isPlain ? hash : hashOf(shown, { withReturns: true });
  return { from, to: from + shown.length - 1, hash, exact };
}

/** The lines without their numbers, as long as these count up from `from`. */
export function withoutNumbers(lines: readonly string[], from: number): string[] {
  const texts: string[] = [];
  for (const line of lines) {
    const text = textBehind(line, from + texts.length);
    if (text === undefined) break;
    texts.push(text);
  }
  return texts;
}

/** What a line shows behind this number; undefined if it has another. Most lines have no space before it. */
function textBehind(line: string, number: number): string | undefined {
  const digits = String(number);
  const sign = line.charAt(digits.length);
  if (line.startsWith(digits) && (sign === "→" || sign === "\t")) return line.slice(digits.length + 1);
  const match = numberedLine.exec(line);
  return Number(match?.[1]) === number ? (match?.[2] ?? "") : undefined;
}

/** Tools cut at round numbers of lines or after many characters; those that cut earlier say so below the lines. */
function mayBeCut(text: string, lines: number, below: string): boolean {
  const isRound = lines >= 100 && lines % 50 === 0;
  return isRound || text.length >= 10_000 || (below !== "" && !/^<[\w-]*reminder>/.test(below));
}

/** Some tools leave the byte order mark out. */
export function withoutBom(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

/** The text of a file in a result that is JSON, as tools of one's own return it: `{ "content": "…" }`. */
function contentIn(text: string): string {
  if (!text.startsWith("{")) return text;
  try {
    const { content, text: shown } = fieldsOf(JSON.parse(text));
    const [only] = [content, shown].filter((value) => typeof value === "string");
    return only ?? text;
  } catch {
    return text;
  }
}

/** The line that a result without line numbers begins with, if the call asked for it; lines count from 1. */
function firstLine({ offset, start_line: start, view_range: range }: Fields): number | undefined {
  const first = offset ?? start ?? (Array.isArray(range) ? range[0] : undefined);
  return isLine(first) ? first : undefined;
}

/** The last line that the call asked for; 0 for the end of the file. */
function lastLine(fields: Fields, from: number): number {
  const { limit, end_line: end, to_line: to, view_range: range } = fields;
  if (isLine(limit)) return from + limit - 1;
  const last = end ?? to ?? (Array.isArray(range) ? range[1] : undefined);
  return isLine(last) && last >= from ? last : 0;
}

function isLine(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1;
}
