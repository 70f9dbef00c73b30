import { scanNames } from "./names.ts";

/** Longer names have too many parts to look up. */
const maxParts = 16;

/** The scored names that a text contains: its own names, and the parts of them that are names as well. */
export function namesCovered(text: string, scores: ReadonlyMap<string, number>): string[] {
  const covered = new Set<string>();
  scanNames(text, (name) => {
    for (const part of partsOf(name.text)) if (scores.has(part)) covered.add(part);
  });
  return [...covered];
}

/** Everything in a name that may be a name itself: `/a/b/c.ts` contains `a/b`, `b/c.ts` and `c.ts`. */
function partsOf(name: string): string[] {
  const parts = [name];
  const isPath = name.includes("/") || name.includes("\\");
  const words = [...name.matchAll(isPath ? /[^/:@\\]+/g : /[^.:@-]+/g)];
  if (words.length < 2 || words.length > maxParts) return parts;
  for (const [index, first] of words.entries()) {
    for (const last of words.slice(index)) {
      const end = last.index + last[0].length;
      if (end - first.index < 4) continue;
      // A leading "/", "." or "--" belongs to the spelling.
      for (let start = first.index; start >= Math.max(0, first.index - (isPath ? 1 : 2)); start--)
        parts.push(name.slice(start, end));
    }
  }
  return parts;
}
