import { takeCharacters } from "../../../engine/text.ts";

/** A line that may be cut: `start` is kept, `text` is shortened. */
export interface CutLine {
  start: string;
  text: string;
  /** Max tokens of the line, unless the budget has room left. */
  maxTokens: number;
  /** The lowest number is the most important. */
  priority: number;
}

type Count = (text: string) => number;

/** Longer texts are cut to this many characters before counting tokens. */
const maxCountedLength = 2_000;

/**
 * Fits as many lines as possible into the budget, most important first, and returns them in their original order.
 * Lines that were cut share the rest of the budget.
 */
export function fitLines(
  lines: readonly CutLine[],
  budget: number,
  count: Count,
): { lines: string[]; cut: boolean } {
  const kept: (string | undefined)[] = lines.map(() => undefined);
  const total = () => count(kept.filter((line) => line !== undefined).join("\n"));
  const order = lines.map((_, index) => index).sort((a, b) => priorityOf(lines, a) - priorityOf(lines, b));
  const shortened = new Set<number>();
  const fit = (index: number, maxTokens: number) => {
    const { start, text } = lines[index] as CutLine;
    const before = kept[index];
    kept[index] = undefined;
    const line = cutTo(start, text, Math.min(maxTokens, budget - total() - 1), count);
    kept[index] = line?.text;
    if (total() > budget) kept[index] = before;
    if (line && !line.cut && kept[index] === line.text) shortened.delete(index);
    else shortened.add(index);
  };
  for (const index of order) fit(index, lines[index]?.maxTokens ?? budget);
  for (const index of order) if (shortened.has(index)) fit(index, budget);
  return { lines: kept.filter((line) => line !== undefined), cut: shortened.size > 0 };
}

/** Cuts the line at a word to fit the tokens; undefined if none of the text would be left. */
export function cutTo(
  start: string,
  text: string,
  tokens: number,
  count: Count,
): { text: string; cut: boolean } | undefined {
  const short = takeCharacters(text, maxCountedLength);
  if (short.length === text.length && count(start + text) <= tokens)
    return { text: start + text, cut: false };
  let [low, high] = [0, short.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (count(`${start}${takeCharacters(short, middle)}…`) <= tokens) low = middle;
    else high = middle - 1;
  }
  const head = atWord(takeCharacters(short, low));
  if (head === "" || count(`${start}${head}…`) > tokens) return undefined;
  return { text: `${start}${head}…`, cut: true };
}

/** A longer last word is cut like any text. */
const maxWordLength = 200;

/** Drops a partial last word, if that leaves most of the text. */
function atWord(text: string): string {
  const word = text.slice(-maxWordLength).split(/\s/).at(-1)?.length ?? 0;
  const space = text.slice(0, text.length - word).trimEnd().length;
  return (space > text.length * 0.6 ? text.slice(0, space) : text).trimEnd();
}

function priorityOf(lines: readonly CutLine[], index: number): number {
  return lines[index]?.priority ?? 0;
}
