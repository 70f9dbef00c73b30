import { lettersOf, withinEdits } from "../../engine/edit-distance.ts";
import { isDense } from "./words.ts";

/** A query word, with values computed once for comparing it with many terms. */
export interface QueryWord {
  text: string;
  stem: string;
  letters: number;
  /** How many edits a misspelling may have. */
  edits: number;
  /** How much it counts in the ranking. */
  weight: number;
}

/** Function words carry little meaning in a query, however rare they are in the notes. */
const functionWords = new Set(
  (
    "a an and are as at be been but by can could did do does for from had has have how if in into is it its may might of on or " +
    "should so that the their there these they this those to was we were what when where which who whom whose why will with would you your"
  ).split(" "),
);

/** Longer runs of letters are not words, and comparing them takes the square of their length. */
const maxMisspeltLength = 64;

export function queryWord(text: string): QueryWord {
  return {
    text,
    stem: stemOf(text),
    letters: lettersOf(text),
    edits: text.length > maxMisspeltLength ? 0 : text.length >= 8 ? 2 : text.length >= 4 ? 1 : 0,
    weight: functionWords.has(text) ? 0.3 : 1,
  };
}

/** How well a term matches a query word, from 0 to 1. `letters` are those of the term. */
export function similarityOf(word: QueryWord, term: string, letters: number): number {
  if (term === word.text) return 1;
  if (isDense(term.charCodeAt(0))) return 0;
  const same = commonPrefixLength(word.text, term);
  if (same >= 3 && same >= word.stem.length - 1 && stemOf(term) === word.stem) return 0.9;
  if (same >= 3 && same === word.text.length) return 0.5 + 0.4 * (same / term.length);
  const longer = Math.max(word.text.length, term.length);
  if (same >= 5 && same >= 0.6 * longer) return 0.8 * (same / longer);
  return word.edits > 0 && withinEdits(word.text, term, word.edits, word.letters, letters) ? 0.4 : 0;
}

function commonPrefixLength(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let same = 0;
  while (same < shorter && a.charCodeAt(same) === b.charCodeAt(same)) same++;
  return same;
}

/** A word without the most common English endings. Crude on purpose: it only has to group inflections. */
function stemOf(word: string): string {
  if (word.length <= 3) return word;
  const bare = word.replace(/(?:'s|s)$/, "").replace(/(?:ies|y)$/, "i");
  return bare.length <= 4 ? bare : bare.replace(/(?:ing|edly|ed|es|ly|ment|ation|ions?|er|e)$/, "");
}
