import { isDense, withinEdits } from "./words.ts";

/** A word of a query, with what is worked out once for comparing it with many terms. */
export interface QueryWord {
  text: string;
  stem: string;
  /** How many misspelt characters are forgiven. */
  edits: number;
}

export function queryWord(text: string): QueryWord {
  return { text, stem: stemOf(text), edits: text.length >= 8 ? 2 : text.length >= 4 ? 1 : 0 };
}

/** From 0 to 1, how well a term of a text stands for a word of a query. */
export function likenessOf({ text: word, stem, edits }: QueryWord, term: string): number {
  if (term === word) return 1;
  if (isDense(term.charCodeAt(0))) return 0;
  if (stem.length >= 3 && term.startsWith(stem.slice(0, 3)) && stemOf(term) === stem) return ST;
  if (word.length >= 3 && term.startsWith(word)) return PA + PB * (word.length / term.length);
  if (LC > 0) { let n = 0; while (n < word.length && n < term.length && word.charCodeAt(n) === term.charCodeAt(n)) n++; if (n >= 5 && n >= 0.6 * Math.max(word.length, term.length)) return LC * n / Math.max(word.length, term.length); }
  if (edits > 0 && withinEdits(word, term, edits)) return F;
  return 0;
}

/** A word without its commonest English endings. Crude on purpose: it only has to bring forms together. */
function stemOf(word: string): string {
  if (word.length <= 3) return word;
  const bare = word.replace(/(?:'s|s)$/, "").replace(/(?:ies|y)$/, "i");
  return bare.length <= 4 ? bare : bare.replace(/(?:ing|edly|ed|es|ly|ment|ation|ions?|er|e)$/, "");
}

const ST=Number(process.env.ST ?? 0.9), PA=Number(process.env.PA ?? 0.5), PB=Number(process.env.PB ?? 0.4), F=Number(process.env.F ?? 0.5), LC=Number(process.env.LC ?? 0);
