import { likenessOf, type QueryWord } from "./word-similarity.ts";
import { eachTerm, isDense } from "./words.ts";

/** Longest text whose positions fit a posting. */
export const longestIndexedText = 2 ** 20 - 1;

/** A posting is one number: the text's slot, where in the text the term first stands, and how often it does. */
const frequencies = 2 ** 4;
const slotSize = (longestIndexedText + 1) * frequencies;

interface Term {
  text: string;
  postings: number[];
}

/** Terms of which a matching text holds at least one. */
interface Anchor {
  terms: { number: number; offset: number }[];
  size: number;
  /** The query is this one word, so its place in the term is its place in the text. */
  exact: boolean;
}

/** How to find a query: the few slots to look at, and whether looking at the text itself is still needed. */
export interface Plan {
  size: number;
  exact: boolean;
  each(visit: (slot: number, at: number) => void): void;
}

/** A term that resembles a query word. */
export interface SimilarTerm {
  /** 1 for the word itself, less for its forms, its continuations and its misspellings. */
  likeness: number;
  /** How many texts hold it. */
  texts: number;
  each(visit: (slot: number, frequency: number) => void): void;
}

/** An inverted index over folded texts that answers substring questions as well as word questions. */
export class TermIndex {
  readonly #terms: Term[] = [];
  readonly #byText = new Map<string, number>();
  readonly #denseByFirst = new Map<string, number[]>();
  /** All terms, each on a line of its own: a substring search over this finds the terms that hold a word. */
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

  /** How to find a query among `texts` texts; undefined when reading them all is faster. */
  find(query: string, texts: number): Plan | undefined {
    // A posting costs a small part of what reading a text costs, unless the text must then be read as well.
    const most = 8 * texts;
    let rarest: Anchor | undefined;
    for (const anchor of this.#anchors(query, most))
      if (!rarest || anchor.size < rarest.size) rarest = anchor;
    if (!rarest || rarest.size > (rarest.exact ? most : texts / 2)) return undefined;
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

  /** For ranking: every term that can stand for a query word, and how well it does. */
  similar(word: QueryWord): SimilarTerm[] {
    const found: SimilarTerm[] = [];
    for (const { text, postings } of this.#terms) {
      const likeness = likenessOf(word, text);
      if (likeness === 0) continue;
      found.push({
        likeness,
        texts: postings.length,
        each: (visit) => {
          for (const posting of postings) visit(Math.floor(posting / slotSize), (posting % frequencies) + 1);
        },
      });
    }
    return found;
  }

  #register(text: string): number {
    const number = this.#terms.length;
    this.#terms.push({ text, postings: [] });
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

  #anchors(query: string, most: number): Anchor[] {
    const anchors: Anchor[] = [];
    eachTerm(query, (text, at) => {
      if (!isDense(text.charCodeAt(0))) {
        const opens = at === 0;
        const closes = at + text.length === query.length;
        anchors.push(this.#anchor(this.#holding(text, opens, closes, most), query === text));
      } else if (text.length === 2) {
        anchors.push(this.#anchor(this.#exactly(text), query === text));
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

  #exactly(text: string): Anchor["terms"] {
    const number = this.#byText.get(text);
    return number === undefined ? [] : [{ number, offset: 0 }];
  }

  /** A word inside the query is a whole term; at an edge of the query the term may go on beyond it. */
  #holding(word: string, openLeft: boolean, openRight: boolean, most: number): Anchor["terms"] {
    if (!openLeft && !openRight) return this.#exactly(word);
    this.#listVocabulary();
    const needle = `${openLeft ? "" : "\n"}${word}${openRight ? "" : "\n"}`;
    const found: Anchor["terms"] = [];
    let postings = 0;
    for (let hit = this.#vocabulary.indexOf(needle); hit !== -1 && postings <= most; ) {
      const number = this.#termAt(openLeft ? hit : hit + 1);
      const start = this.#offsets[number] as number;
      const term = this.#terms[number] as Term;
      found.push({ number, offset: Math.max(0, hit - start) });
      postings += term.postings.length;
      // One hit per term is enough, and the first one is the one that counts.
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

  #termAt(place: number): number {
    let low = 0;
    let high = this.#offsets.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#offsets[middle] as number) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
