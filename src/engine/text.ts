import { HoldfastError } from "../errors.ts";

/**
 * Every incoming text is normalized once, so that all stores agree byte for byte: lone surrogates become U+FFFD,
 * NUL is rejected, everything else (CRLF, BOM, combining marks) is unchanged.
 */
export function normaliseText(text: string, name: string): string {
  if (text.includes("\u0000")) {
    throw new HoldfastError(
      "invalid_input",
      `${name} contains a NUL character (U+0000) at position ${text.indexOf("\u0000")}. Remove it and send the text again.`,
      { data: { field: name } },
    );
  }
  return text.toWellFormed();
}

/** No model message nests this deep; unlimited depth would overflow the stack. */
const maxDepth = 500;

/** Normalizes every string in a value, including field names. */
export function normaliseTexts<T>(value: T, name = "input", depth = 0): T {
  if (typeof value === "string") return normaliseText(value, name) as T;
  if (typeof value !== "object" || value === null) return value;
  if (depth > maxDepth) {
    throw new HoldfastError(
      "invalid_input",
      `The input is nested more than ${maxDepth} levels deep. Flatten it and send it again.`,
    );
  }
  if (Array.isArray(value))
    return value.map((item, index) => normaliseTexts(item, `${name}[${index}]`, depth + 1)) as T;
  const entries = Object.entries(value).map(([key, item]) => [
    normaliseText(key, name),
    normaliseTexts(item, key, depth + 1),
  ]);
  return Object.fromEntries(entries) as T;
}

/** A text in quotes for error messages, shortened to 80 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text);
}

/** Collapses whitespace to single spaces; cuts at the limit and appends an ellipsis. */
export function oneLine(text: string, limit = Number.POSITIVE_INFINITY): string {
  // A single space stays, and most whitespace is one.
  const line = text.replaceAll(/\s\s+|[^\S ]/g, " ").trim();
  return line.length > limit ? `${line.slice(0, Math.max(0, limit - 1)).toWellFormed()}…` : line;
}

/** The text without the given characters at its end. A pattern such as `/;+$/` takes quadratic time for this. */
export function dropTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Counts Unicode code points, the unit of every character limit. */
export function countCharacters(text: string): number {
  return text.length - (text.match(surrogatePairs)?.length ?? 0);
}

/** Compares the length first, so that most texts are not counted. */
export function isLongerThan(text: string, characters: number): boolean {
  return text.length > characters && countCharacters(text) > characters;
}

const surrogatePairs = /[\ud800-\udbff][\udc00-\udfff]/g;

/** The first `limit` code points; never splits a surrogate pair. */
export function takeCharacters(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let taken = 0;
  let index = 0;
  while (index < text.length && taken < limit) {
    const unit = text.charCodeAt(index);
    index += unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(index + 1)) ? 2 : 1;
    taken++;
  }
  return text.slice(0, index);
}

/** The addition starts on its own line. */
export function appendText(existing: string, addition: string): string {
  if (addition === "") return existing;
  if (existing === "" || existing.endsWith("\n")) return existing + addition;
  return `${existing}\n${addition}`;
}

/** The existing text starts on its own line. */
export function prependText(existing: string, addition: string): string {
  if (addition === "") return existing;
  if (existing === "" || addition.endsWith("\n")) return addition + existing;
  return `${addition}\n${existing}`;
}

export function countOccurrences(text: string, needle: string): number {
  let count = 0;
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) count++;
  return count;
}

/** Replaces literally: `$&` in the replacement is not a pattern. */
export function replaceText(text: string, find: string, replacement: string, all: boolean): string {
  if (all) return text.split(find).join(replacement);
  const at = text.indexOf(find);
  return at === -1 ? text : text.slice(0, at) + replacement + text.slice(at + find.length);
}

/** The line most similar to the needle, for error messages. */
export function closestLine(text: string, needle: string): { line: string; number: number } | undefined {
  const needlePairs = characterPairs(firstLine(needle));
  let best: { line: string; number: number } | undefined;
  let bestScore = 0;
  let number = 0;
  for (const line of text.split("\n")) {
    number++;
    if (line.trim() === "") continue;
    const score = similarity(needlePairs, characterPairs(line));
    if (score > bestScore) {
      bestScore = score;
      best = { line, number };
    }
  }
  return bestScore >= 0.2 ? best : undefined;
}

/** The difference between two texts as one edit: at `at`, `inserted` replaces `removed`. */
export interface Splice {
  at: number;
  removed: string;
  inserted: string;
}

export function spliceBetween(before: string, after: string): Splice {
  // Fast path: most edits append or prepend, and native whole-string comparison is fastest.
  if (after.startsWith(before))
    return { at: before.length, removed: "", inserted: after.slice(before.length) };
  if (after.endsWith(before))
    return { at: 0, removed: "", inserted: after.slice(0, after.length - before.length) };
  const shorter = Math.min(before.length, after.length);
  let start = sameBlocks(shorter, (from, to) => before.slice(from, to) === after.slice(from, to));
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  if (start > 0 && splitsPair(before, after, start)) start--;
  let end = sameBlocks(
    shorter - start,
    (from, to) =>
      before.slice(before.length - to, before.length - from) ===
      after.slice(after.length - to, after.length - from),
  );
  while (
    end < shorter - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  ) {
    end++;
  }
  if (end > 0 && splitsPair(before, after, before.length - end, after.length - end)) end--;
  return {
    at: start,
    removed: before.slice(start, before.length - end),
    inserted: after.slice(start, after.length - end),
  };
}

/** How much of a length is the same by whole blocks, which are compared natively. */
function sameBlocks(length: number, isSame: (from: number, to: number) => boolean): number {
  let same = 0;
  while (same + blockLength <= length && isSame(same, same + blockLength)) same += blockLength;
  return same;
}

const blockLength = 512;

export function applySplice(text: string, splice: Splice): string {
  return text.slice(0, splice.at) + splice.inserted + text.slice(splice.at + splice.removed.length);
}

export function revertSplice(text: string, splice: Splice): string {
  return text.slice(0, splice.at) + splice.removed + text.slice(splice.at + splice.inserted.length);
}

function splitsPair(before: string, after: string, inBefore: number, inAfter = inBefore): boolean {
  return isLowSurrogate(before.charCodeAt(inBefore)) || isLowSurrogate(after.charCodeAt(inAfter));
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function firstLine(text: string): string {
  return text.split("\n").find((line) => line.trim() !== "") ?? text;
}

function characterPairs(line: string): Set<string> {
  const letters = line.toLowerCase().slice(0, 500);
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < letters.length; index++) pairs.add(letters.slice(index, index + 2));
  if (letters.length === 1) pairs.add(letters);
  return pairs;
}

/** Sørensen–Dice coefficient. */
function similarity(a: Set<string>, b: Set<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared++;
  return (2 * shared) / (a.size + b.size);
}
