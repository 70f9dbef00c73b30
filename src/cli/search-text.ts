import { foldCase } from "../surfaces/notes/operations.ts";
import { likenessOf, queryWord } from "../surfaces/notes/word-similarity.ts";
import { eachTerm, terms } from "../surfaces/notes/words.ts";

/** A line that answers a query. */
export interface LineMatch {
  /** From 1. */
  line: number;
  text: string;
  /** 2: the query stands there as it is; up to 1: how much of it does, in some form. */
  score: number;
  /** Where the matching stretches are. */
  ranges: [from: number, to: number][];
}

/** Half of the words, or a misspelt one, is the least that counts. */
const leastScore = 0.35;

/** How many different words of the texts are remembered with their likeness. */
const mostRemembered = 200_000;

/** Finds the lines of texts that answer one query: exactly, or by words that resemble its own. */
export class TextSearch {
  readonly #query: string;
  readonly #words: ReturnType<typeof queryWord>[];
  readonly #weight: number;
  readonly #known = new Map<string, number[]>();

  constructor(query: string) {
    this.#query = foldCase(query.trim());
    this.#words = [...new Set(terms(this.#query))].map(queryWord);
    this.#weight = this.#words.reduce((sum, { weight }) => sum + weight, 0);
  }

  /** The lines of a text that match, in their order. `extra` counts as part of every line, as tags do. */
  lines(text: string, extra = ""): LineMatch[] {
    const beside = this.#likenesses(foldCase(extra));
    return text.split("\n").flatMap((line, place) => {
      const match = this.#match(line.replace(/\r$/, ""), beside, place === 0);
      return match ? [{ line: place + 1, ...match }] : [];
    });
  }

  /** Where nothing of the query is in any line, the first line stands for what is beside them. */
  #match(text: string, beside: readonly number[], first: boolean): Omit<LineMatch, "line"> | undefined {
    const folded = foldCase(text);
    const at = folded.indexOf(this.#query);
    const ranges: LineMatch["ranges"] = [];
    const found = [...beside];
    eachTerm(folded, (term, start) => {
      const likeness = this.#likeness(term);
      if (likeness.every((each) => each === 0)) return;
      ranges.push([start, start + term.length]);
      likeness.forEach((each, word) => {
        found[word] = Math.max(found[word] ?? 0, each);
      });
    });
    // A few letters are longer in lower case, which moves the places; then the line is shown without them.
    const shown = (places: LineMatch["ranges"]) => (folded.length === text.length ? places : []);
    if (at !== -1) return { text, score: 2, ranges: shown([[at, at + this.#query.length]]) };
    if (ranges.length === 0 && !first) return undefined;
    const covered = this.#words.reduce((sum, { weight }, word) => sum + weight * (found[word] ?? 0), 0);
    const score = this.#weight === 0 ? 0 : covered / this.#weight;
    return score >= leastScore ? { text, score, ranges: shown(ranges) } : undefined;
  }

  #likenesses(folded: string): number[] {
    const best = this.#words.map(() => 0);
    eachTerm(folded, (term) => {
      this.#likeness(term).forEach((each, word) => {
        best[word] = Math.max(best[word] ?? 0, each);
      });
    });
    return best;
  }

  #likeness(term: string): number[] {
    let likeness = this.#known.get(term);
    if (!likeness) {
      likeness = this.#words.map((word) => likenessOf(word, term));
      if (this.#known.size >= mostRemembered) this.#known.clear();
      this.#known.set(term, likeness);
    }
    return likeness;
  }
}
