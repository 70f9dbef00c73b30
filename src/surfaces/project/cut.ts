import { takeCharacters } from "../../engine/text.ts";

type Count = (text: string) => number;

/** A line whose `text` may be cut. `before` and `after` stay whole. */
export interface Cuttable {
  before?: string;
  text: string;
  after?: string;
}

export interface Cut {
  text: string;
  isCut: boolean;
}

/** Longer texts are cut to this many characters before counting tokens. */
const maxCountedLength = 2_000;

/** Cuts a line at a word so that it fits; undefined if nothing of its text would be left. */
export function cutTo(
  { before = "", text, after = "" }: Cuttable,
  tokens: number,
  count: Count,
): Cut | undefined {
  const short = takeCharacters(text, maxCountedLength);
  const whole = `${before}${text}${after}`;
  if (short.length === text.length && count(whole) <= tokens) return { text: whole, isCut: false };
  let [low, high] = [0, short.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (count(`${before}${takeCharacters(short, middle)}…${after}`) <= tokens) low = middle;
    else high = middle - 1;
  }
  const head = atWord(takeCharacters(short, low));
  const line = `${before}${head}…${after}`;
  return head === "" || count(line) > tokens ? undefined : { text: line, isCut: true };
}

/** A longer last word is cut like any text. */
const maxWordLength = 200;

/** Drops a partial last word, if that leaves most of the text. */
function atWord(text: string): string {
  const word = text.slice(-maxWordLength).split(/\s/).at(-1)?.length ?? 0;
  const space = text.slice(0, text.length - word).trimEnd().length;
  return (space > text.length * 0.6 ? text.slice(0, space) : text).trimEnd();
}

/** A line with its share of the budget. */
export interface RankedLine extends Cuttable {
  /** Max tokens of the line, unless the budget has room left. */
  maxTokens: number;
  /** The lowest number is the most important. */
  priority: number;
}

/**
 * Fits as many lines as possible into the budget, most important first, and returns them in their original order.
 * Lines that were cut share the rest of the budget.
 */
export function fitLines(
  lines: readonly RankedLine[],
  budget: number,
  count: Count,
): { lines: string[]; isCut: boolean } {
  const fitted = new Map<RankedLine, Cut>();
  const shown = () => lines.flatMap((line) => fitted.get(line)?.text ?? []);
  const fit = (line: RankedLine, maxTokens: number) => {
    const earlier = fitted.get(line);
    fitted.delete(line);
    const cut = cutTo(line, Math.min(maxTokens, budget - count(shown().join("\n")) - 1), count);
    if (cut) fitted.set(line, cut);
    if (count(shown().join("\n")) <= budget) return;
    fitted.delete(line);
    if (earlier) fitted.set(line, earlier);
  };
  const ranked = lines.toSorted((a, b) => a.priority - b.priority);
  const isWhole = (line: RankedLine) => fitted.get(line)?.isCut === false;
  for (const line of ranked) fit(line, line.maxTokens);
  for (const line of ranked) if (!isWhole(line)) fit(line, budget);
  return { lines: shown(), isCut: !lines.every(isWhole) };
}
