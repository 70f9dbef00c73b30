import { lettersOf } from "../../engine/edit-distance.ts";
import { foldCase } from "../../surfaces/notes/operations.ts";
import { queryWord, similarityOf } from "../../surfaces/notes/word-similarity.ts";
import { eachTerm, terms } from "../../surfaces/notes/words.ts";

/** A line that matches a query; several lines if the query has line breaks. */
export interface LineMatch {
  /** From 1. */
  line: number;
  text: string;
  /** 2: the text contains the query. Up to 1: the share of the query's words that it contains, exactly or nearly. */
  score: number;
  /** Positions of the matching words in the text; empty if unknown. */
  ranges: [from: number, to: number][];
}

/** Half of the query's words, or one misspelt word, is enough. */
const minScore = 0.35;

/** Max distinct terms whose scores are cached. */
const maxCachedTerms = 200_000;

/** Each word is compared with every term of the texts; a longer query is found as a whole or by its first words. */
const maxWords = 24;

/** Finds the lines that match a query, exactly or by similar words. */
export class LineMatcher {
  readonly #query: string;
  readonly #pattern: RegExp;
  readonly #terms: readonly string[];
  readonly #words: ReturnType<typeof queryWord>[];
  readonly #weight: number;
  readonly #cache = new Map<string, number[]>();

  constructor(query: string) {
    const trimmed = query.includes("\n") ? query : query.trim() || query;
    this.#query = foldCase(trimmed);
    this.#pattern = new RegExp(trimmed.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "iu");
    this.#terms = [...new Set(terms(this.#query))].slice(0, maxWords);
    this.#words = this.#terms.map(queryWord);
    this.#weight = this.#words.reduce((sum, { weight }) => sum + weight, 0);
  }

  /** A quick test for long texts: whether it contains the query, or each of its words. */
  isWorthMatching(text: string): boolean {
    const folded = foldCase(text);
    if (folded.includes(this.#query)) return true;
    return this.#terms.length > 1 && this.#terms.every((term) => folded.includes(term));
  }

  /**
   * A quick test for a file that escapes its texts, such as JSON: false when a word of the query is not in it. Words that
   * the file may have escaped are not looked for.
   */
  mayMatchIn(raw: string): boolean {
    const folded = foldCase(raw);
    return this.#terms.every((term) => /[^a-z0-9]/.test(term) || folded.includes(term));
  }

  /** The matching lines of a text, in order. `extra` (such as tags) counts as part of every line. */
  match(text: string, extra = ""): LineMatch[] {
    const passage = this.#query.includes("\n") ? this.#matchPassage(text) : undefined;
    if (passage) return [passage];
    const extraScores = this.#scoreTerms(foldCase(extra));
    return text.split("\n").flatMap((line, index) => {
      const match = this.#matchLine(line.replace(/\r$/, ""), extraScores, index === 0);
      return match ? [{ line: index + 1, ...match }] : [];
    });
  }

  #matchPassage(text: string): LineMatch | undefined {
    const found = this.#pattern.exec(text);
    if (!found) return undefined;
    const start = found.index === 0 ? 0 : text.lastIndexOf("\n", found.index - 1) + 1;
    const stop = found.index + found[0].length;
    const end = text.indexOf("\n", stop);
    return {
      line: text.slice(0, start).split("\n").length,
      text: text.slice(start, end === -1 ? undefined : end),
      score: 2,
      ranges: [[found.index - start, stop - start]],
    };
  }

  /** If only `extra` matches, the first line represents the text. */
  #matchLine(
    text: string,
    extraScores: readonly number[],
    isFirst: boolean,
  ): Omit<LineMatch, "line"> | undefined {
    const folded = foldCase(text);
    if (folded.includes(this.#query)) return { text, score: 2, ranges: this.#locate(text, folded) };
    const ranges: LineMatch["ranges"] = [];
    const best = [...extraScores];
    eachTerm(folded, (term, start) => {
      const scores = this.#scoreTerm(term);
      if (scores.every((score) => score === 0)) return;
      ranges.push([start, start + term.length]);
      keepBest(best, scores);
    });
    if (ranges.length === 0 && !isFirst) return undefined;
    const covered = this.#words.reduce((sum, { weight }, word) => sum + weight * (best[word] ?? 0), 0);
    const score = this.#weight === 0 ? 0 : covered / this.#weight;
    // Some letters get longer in lower case, which shifts all positions after them.
    const isAligned = folded.length === text.length;
    return score >= minScore ? { text, score, ranges: isAligned ? ranges : [] } : undefined;
  }

  #locate(text: string, folded: string): LineMatch["ranges"] {
    if (folded.length === text.length) {
      const at = folded.indexOf(this.#query);
      return [[at, at + this.#query.length]];
    }
    const found = this.#pattern.exec(text);
    return found ? [[found.index, found.index + found[0].length]] : [];
  }

  #scoreTerms(folded: string): number[] {
    const best = this.#words.map(() => 0);
    eachTerm(folded, (term) => keepBest(best, this.#scoreTerm(term)));
    return best;
  }

  /** How similar a term is to each word of the query. */
  #scoreTerm(term: string): number[] {
    let scores = this.#cache.get(term);
    if (!scores) {
      const letters = lettersOf(term);
      scores = this.#words.map((word) => similarityOf(word, term, letters));
      if (this.#cache.size >= maxCachedTerms) this.#cache.clear();
      this.#cache.set(term, scores);
    }
    return scores;
  }
}

function keepBest(best: number[], scores: readonly number[]): void {
  for (const [word, score] of scores.entries()) best[word] = Math.max(best[word] ?? 0, score);
}
