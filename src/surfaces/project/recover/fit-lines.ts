import { takeCharacters } from "../../../engine/text.ts";

/** A line that may be cut: its beginning stays, its text gives way. */
export interface CutLine {
  start: string;
  text: string;
  /** Tokens that the line may take at most. */
  most: number;
  /** Smaller ones are kept longer. */
  priority: number;
}

type Count = (text: string) => number;

/** Longer texts are cut to this before their tokens are counted. */
const longestCounted = 2_000;

/**
 * As many lines as the budget has room for, the important ones first, shown in their given order. What is left
 * goes to the lines that were cut.
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
  const place = (index: number, most: number) => {
    const { start, text } = lines[index] as CutLine;
    const before = kept[index];
    kept[index] = undefined;
    const line = cutTo(start, text, Math.min(most, budget - total() - 1), count);
    kept[index] = line?.text;
    if (total() > budget) kept[index] = before;
    if (line && !line.cut && kept[index] === line.text) shortened.delete(index);
    else shortened.add(index);
  };
  for (const index of order) place(index, lines[index]?.most ?? budget);
  for (const index of order) if (shortened.has(index)) place(index, budget);
  return { lines: kept.filter((line) => line !== undefined), cut: shortened.size > 0 };
}

/** The line within so many tokens, cut at a word; undefined when nothing of the text would be left. */
export function cutTo(
  start: string,
  text: string,
  tokens: number,
  count: Count,
): { text: string; cut: boolean } | undefined {
  const short = takeCharacters(text, longestCounted);
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

/** Without the word that was cut through, if that leaves most of the text. */
function atWord(text: string): string {
  const space = text.search(/\s+\S*$/);
  return (space > text.length * 0.6 ? text.slice(0, space) : text).trimEnd();
}

function priorityOf(lines: readonly CutLine[], index: number): number {
  return lines[index]?.priority ?? 0;
}
