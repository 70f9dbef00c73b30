import { namesIn } from "./names.ts";

/** Longer names have too many parts to look up. */
const maxParts = 16;

/** The scored names that a text contains: its own names, and the parts of them that are names as well. */
export function namesCovered(text: string, scores: ReadonlyMap<string, number>): string[] {
  const covered = new Set<string>();
  for (const name of namesIn(text)) for (const part of partsCovered(name.text, scores)) covered.add(part);
  return [...covered];
}

/** The scored names that a name contains: itself, and what may be a name in it: `/a/b/c.ts` contains `a/b`, `b/c.ts`, `c.ts`. */
export function partsCovered(name: string, scores: ReadonlyMap<string, number>): string[] {
  const covered = scores.has(name) ? [name] : [];
  const isPath = name.includes("/") || name.includes("\\");
  const bounds = wordBounds(name, isPath ? pathSeparators : wordSeparators);
  const words = bounds.length / 2;
  if (words < 2 || words > maxParts) return covered;
  // A leading "/", "." or "--" belongs to the spelling.
  const before = isPath ? 1 : 2;
  for (let first = 0; first < bounds.length; first += 2)
    for (let last = first + 1; last < bounds.length; last += 2) {
      const [from = 0, to = 0] = [bounds[first], bounds[last]];
      if (to - from < 4) continue;
      for (let start = from; start >= Math.max(0, from - before); start--) {
        const part = name.slice(start, to);
        if (part.length < name.length && scores.has(part)) covered.push(part);
      }
    }
  return covered;
}

const pathSeparators = "/:@\\";
const wordSeparators = ".:@-";

/** The first character of each word and the one after its last, in order. */
function wordBounds(name: string, separators: string): number[] {
  const bounds: number[] = [];
  for (let at = 0; at <= name.length; at++) {
    const isWord = at < name.length && !separators.includes(name.charAt(at));
    // An odd number of bounds: inside a word.
    if (isWord !== (bounds.length % 2 === 1)) bounds.push(at);
  }
  return bounds;
}
