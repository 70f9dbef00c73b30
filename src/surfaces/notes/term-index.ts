import { lettersOf } from "../../engine/edit-distance.ts";
import { type QueryWord, similarityOf } from "./word-similarity.ts";
import { eachTerm, isDense } from "./words.ts";

/** The longest text whose positions fit a posting. */
export const maxIndexedLength = 2 ** 20 - 1;

/** A posting packs three values into one number: the text's slot, the term's first position and its frequency. */
const frequencies = 2 ** 4;
const slotSize = (maxIndexedLength + 1) * frequencies;

interface Term {
  text: string;
  /** Its letters as bits, so that a search need not read it to know that it is too different. */
  letters: number;
  postings: number[];
}

/** A matching text contains at least one of these terms. */
interface Anchor {
  terms: { number: number; offset: number }[];
  size: number;
  /** The query is a single word, so a match in the term is a match in the text. */
  exact: boolean;
}

/** The candidate slots for a query; unless `exact`, their texts must still be checked. */
export interface Plan {
  size: number;
  exact: boolean;
  each(visit: (slot: number, at: number) => void): void;
}

/** A term that is similar to a query word. */
export interface SimilarTerm {
  /** 1 for the word itself, less for inflections, completions and misspellings. */
  similarity: number;
  /** How many texts contain it. */
  texts: number;
  each(visit: (slot: number, frequency: number) => void): void;
}

/** An inverted index over case-folded texts for substring and word queries. */
export class TermIndex {
  readonly #terms: Term[] = [];
  readonly #byText = new Map<string, number>();
  readonly #denseByFirst = new Map<string, number[]>();
  /** All terms, one per line, so that a substring search finds the terms that contain a word. */
  #vocabulary = "\n";
  readonly #offsets: number[] = [];
  #unlisted: string[] = [];

  add(slot: number, folded: string): void {
    eachTerm(folded, (text, at) => {
      const { postings } = this.#terms[this.#byText.get(text) ?? this.#register(text)] as Term;
      const last = postings[postings.length - 1];
      if (last === undefined || Math.floor(last / slotSize) !== slot)
        postings.push(slot * slotSize + at * frequencies);
      else if (last % frequencies < frequencies - 1) postings[postings.length - 1] = last + 1;
    });
  }

  /** Plans a search over `texts` texts; undefined if scanning them all is faster. */
  find(query: string, texts: number): Plan | undefined {
    // Visiting a posting is much cheaper than reading a text, unless the text must then be read as well.
    const maxPostings = 8 * texts;
    let rarest: Anchor | undefined;
    for (const anchor of this.#anchors(query, maxPostings))
      if (!rarest || anchor.size < rarest.size) rarest = anchor;
    if (!rarest || rarest.size > (rarest.exact ? maxPostings : texts / 2)) return undefined;
    const { terms, size, exact } = rarest;
    return {
      size,
      exact,
      each: (visit) => {
        for (const { number, offset } of terms) {
          for (const posting of (this.#terms[number] as Term).postings) {
            const slot = Math.floor(posting / slotSize);
            visit(slot, Math.floor((posting - slot * slotSize) / frequencies) + offset);
          }
        }
      },
    };
  }

  /** For ranking: every term that is similar to a query word. */
  similar(word: QueryWord): SimilarTerm[] {
    // Words without spaces between them are pairs of characters: they match as they are, or not.
    if (isDense(word.text.charCodeAt(0))) return this.same(word.text);
    const found: SimilarTerm[] = [];
    for (const term of this.#terms) {
      const similarity = similarityOf(word, term.text, term.letters);
      if (similarity > 0) found.push(similarTerm(term, similarity));
    }
    return found;
  }

  /** For ranking: the term itself, without comparing it with all others. */
  same(word: string): SimilarTerm[] {
    const term = this.#terms[this.#byText.get(word) ?? -1];
    return term ? [similarTerm(term, 1)] : [];
  }

  #register(text: string): number {
    const number = this.#terms.length;
    this.#terms.push({ text, letters: lettersOf(text), postings: [] });
    this.#byText.set(text, number);
    this.#unlisted.push(text);
    if (isDense(text.charCodeAt(0))) {
      const first = text.charAt(0);
      const list = this.#denseByFirst.get(first);
      if (list) list.push(number);
      else this.#denseByFirst.set(first, [number]);
    }
    return number;
  }

  #anchors(query: string, maxPostings: number): Anchor[] {
    const anchors: Anchor[] = [];
    eachTerm(query, (text, at) => {
      if (!isDense(text.charCodeAt(0))) {
        const openLeft = at === 0;
        const openRight = at + text.length === query.length;
        const terms = this.#termsContaining(text, openLeft, openRight, maxPostings);
        anchors.push(this.#anchor(terms, query === text));
      } else if (text.length === 2) {
        anchors.push(this.#anchor(this.#exactTerm(text), query === text));
      } else if (at === 0 || !isDense(query.charCodeAt(at - 1))) {
        const beginning = (this.#denseByFirst.get(text) ?? []).map((number) => ({ number, offset: 0 }));
        anchors.push(this.#anchor(beginning, query === text));
      }
    });
    return anchors;
  }

  #anchor(terms: Anchor["terms"], exact: boolean): Anchor {
    let size = 0;
    for (const { number } of terms) size += (this.#terms[number] as Term).postings.length;
    return { terms, size, exact };
  }

  #exactTerm(text: string): Anchor["terms"] {
    const number = this.#byText.get(text);
    return number === undefined ? [] : [{ number, offset: 0 }];
  }

  /** Inside the query a word is a whole term; at an edge of the query the term may extend beyond it. */
  #termsContaining(
    word: string,
    openLeft: boolean,
    openRight: boolean,
    maxPostings: number,
  ): Anchor["terms"] {
    if (!openLeft && !openRight) return this.#exactTerm(word);
    this.#listVocabulary();
    const needle = `${openLeft ? "" : "\n"}${word}${openRight ? "" : "\n"}`;
    const found: Anchor["terms"] = [];
    let postings = 0;
    for (let hit = this.#vocabulary.indexOf(needle); hit !== -1 && postings <= maxPostings; ) {
      const number = this.#termAt(openLeft ? hit : hit + 1);
      const start = this.#offsets[number] as number;
      const term = this.#terms[number] as Term;
      found.push({ number, offset: Math.max(0, hit - start) });
      postings += term.postings.length;
      // Only the first hit per term counts.
      hit = this.#vocabulary.indexOf(needle, start + term.text.length);
    }
    return found;
  }

  #listVocabulary(): void {
    if (this.#unlisted.length === 0) return;
    let offset = this.#vocabulary.length;
    for (const text of this.#unlisted) {
      this.#offsets.push(offset);
      offset += text.length + 1;
    }
    this.#vocabulary += `${this.#unlisted.join("\n")}\n`;
    this.#unlisted = [];
  }

  #termAt(position: number): number {
    let low = 0;
    let high = this.#offsets.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#offsets[middle] as number) <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function similarTerm({ postings }: Term, similarity: number): SimilarTerm {
  return {
    similarity,
    texts: postings.length,
    each: (visit) => {
      for (const posting of postings) visit(Math.floor(posting / slotSize), (posting % frequencies) + 1);
    },
  };
}
