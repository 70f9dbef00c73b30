import { type StoredMessage, type ToolResult, toolCallsOf } from "../../context/conversation.ts";
import type { FileFact, ReadFact } from "../../engine/records.ts";
import { fieldsOf, pathsIn } from "./call-input.ts";
import { resultsIn } from "./results.ts";

/** Max parts of files that a checkpoint remembers. */
const maxReads = 60;

/**
 * What the agent has read: for each part of a file, a hash of its lines as the agent saw them. Only results with line
 * numbers tell for certain which part they show; a result without them counts as the part that the call asked for.
 */
export function readParts(
  messages: readonly StoredMessage[],
  earlier: readonly ReadFact[] = [],
  now = 0,
): ReadFact[] {
  const { byCall } = resultsIn(messages);
  const calls = messages.flatMap((stored) => (stored.aside ? [] : toolCallsOf(stored)));
  const reads: ReadFact[] = [];
  // Newest first: what was read before is not looked at once there is enough.
  for (let index = calls.length - 1; index >= 0; index--) {
    if (reads.length === maxReads) return reads;
    const { id = "", input } = calls[index] ?? {};
    const result = byCall.get(id);
    if (!result || result.isError) continue;
    const [path, ...more] = pathsIn(fieldsOf(input));
    if (path === undefined || more.length > 0) continue;
    const part = partIn(result, fieldsOf(input));
    if (part) addOlder(reads, { path, ...part, last: now + index + 1 });
  }
  for (const read of earlier) if (reads.length < maxReads) addOlder(reads, read);
  return reads;
}

/** Lines that the agent has seen again count as it saw them last. */
function addOlder(reads: ReadFact[], read: ReadFact): void {
  const isSeenAgain = (later: ReadFact) =>
    later.path === read.path &&
    ((later.from === read.from && later.to === read.to) ||
      (later.isNumbered && (later.isWhole || (read.from >= later.from && read.to <= later.to))));
  if (!reads.some(isSeenAgain)) reads.push(read);
}

/** Longer lines may have been cut. */
const maxLine = 400;

/** A line of a file with mixed line ends may end with a carriage return, which a dot does not match by itself. */
const numberedLine = /^\s*(\d+)(?:→|\t)(.*)$/s;

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

function partIn(
  { text: given }: ToolResult,
  fields: Record<string, unknown>,
): Omit<ReadFact, "path" | "last"> | undefined {
  const text = contentIn(given);
  const isWhole = partFields.every((field) => fields[field] === undefined);
  const [first = ""] = text.split("\n", 1);
  const from = Number(numberedLine.exec(first)?.[1] ?? 0);
  if (from > 0) {
    const numbered = text.split("\n").map((line) => numberedLine.exec(line));
    // A host may write more below the lines, so stop where the numbers stop.
    const end = numbered.findIndex((match, index) => Number(match?.[1]) !== from + index);
    const shown = (end === -1 ? numbered : numbered.slice(0, end)).map((match) => match?.[2] ?? "");
    const lines = isWhole ? withoutEnd(shown) : shown;
    // Tools cut long lines, so a difference in one says nothing.
    const isNumbered = lines.every((line) => line.length < maxLine);
    return { from, to: from + lines.length - 1, hash: hashOf(lines), isNumbered, isWhole };
  }
  const begin = isWhole ? 1 : firstLine(fields);
  if (begin === undefined || text === "") return undefined;
  const lines = withoutEnd(text.split("\n"));
  return {
    from: begin,
    to: begin + lines.length - 1,
    hash: hashOf(lines),
    isNumbered: false,
    isWhole,
  };
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
function firstLine({
  offset,
  start_line: start,
  view_range: range,
}: Record<string, unknown>): number | undefined {
  const first = offset ?? start ?? (Array.isArray(range) ? range[0] : undefined);
  return typeof first === "number" && Number.isInteger(first) && first >= 1 ? first : undefined;
}

/** Without empty lines at the end: some tools show a line after the last line break. */
function withoutEnd(lines: readonly string[]): string[] {
  const last = lines.findLastIndex((line) => line !== "" && line !== "\r");
  return lines.slice(0, last + 1);
}

export interface ReadChanges {
  unchanged: ReadonlySet<string>;
  changed: ReadonlySet<string>;
}

/**
 * Compares what the agent has read with the files as they are now; `contents` has the text of those that could be read.
 * A file is unchanged only if every part that the agent saw is the same. Files that the agent wrote since are in neither
 * set, and neither is a file whose result may have shown something else than its lines.
 */
export function compareReads(
  reads: readonly ReadFact[],
  files: readonly FileFact[],
  contents: ReadonlyMap<string, string>,
): ReadChanges {
  const written = new Set(files.filter(({ done }) => done !== "read").map(({ path }) => path));
  const unchanged = new Set<string>();
  const changed = new Set<string>();
  for (const [path, parts] of Map.groupBy(reads, ({ path }) => path)) {
    const content = contents.get(path);
    if (content === undefined || written.has(path)) continue;
    const lines = withoutEnd(content.split("\n"));
    const isSame = ({ from, to, hash }: ReadFact) => hash === hashOf(lines.slice(from - 1, to));
    // A file that goes on below what was shown may have been cut by the tool, or may have grown.
    const isComplete = ({ to, isWhole }: ReadFact) => !isWhole || to === lines.length;
    if (parts.every((part) => isSame(part) && isComplete(part))) unchanged.add(path);
    else if (parts.some((part) => part.isNumbered && !isSame(part))) changed.add(path);
  }
  return { unchanged, changed };
}

/** Two independent 32-bit hashes and the length. A carriage return at the end of a line does not count. */
function hashOf(lines: readonly string[]): string {
  let first = 0x811c9dc5;
  let second = 0x9e3779b9;
  let length = 0;
  for (const line of lines) {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    for (let index = 0; index <= text.length; index++) {
      const code = index === text.length ? 10 : text.charCodeAt(index);
      first = Math.imul(first ^ code, 0x01000193);
      second = Math.imul(second + code, 0x85ebca6b) ^ (second >>> 13);
    }
    length += text.length + 1;
  }
  return `${(first >>> 0).toString(36)}-${(second >>> 0).toString(36)}-${length.toString(36)}`;
}
