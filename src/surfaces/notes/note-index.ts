import type { NoteValue } from "../../engine/records.ts";
import { foldCase, type Note } from "./operations.ts";
import { maxIndexedLength, type Plan, TermIndex } from "./term-index.ts";
import { queryWord } from "./word-similarity.ts";
import { terms } from "./words.ts";

/** Up to this many notes a scan is as fast as an index. */
const maxScannedNotes = 500;

/** BM25's k1 (term frequency saturation) and b (length normalisation), at their usual values. */
const saturation = 1.2;
const lengthNormalisation = 0.75;

/** Comparing a word with all terms of the notes finds its misspellings; further words of a query match exactly. */
const maxComparedWords = 24;

export interface NoteQuery {
  query: string;
  /** A note must have all of them; case-insensitive. */
  tags: readonly string[];
  limit: number;
  offset: number;
}

export interface NoteMatches {
  /** How many notes match in total. */
  total: number;
  notes: Note[];
  /** False: the notes contain the query. True: none does, and these share its words, best first. */
  ranked: boolean;
}

interface Slot {
  id: string;
  value: NoteValue;
  folded: string;
  tags: string[];
}

/** The notes of one session, in memory for listing and searching. */
export class NoteIndex {
  readonly #slots: (Slot | undefined)[] = [];
  readonly #slotOf = new Map<string, number>();
  #index = new TermIndex();
  /** Slots below this one are in the term index. */
  #indexed = 0;
  #removed = 0;
  #characters = 0;
  /** Texts too long for the term index; few or none. */
  #long: number[] = [];
  #firstMatch = new Int32Array(0);

  get size(): number {
    return this.#slotOf.size;
  }

  set(id: string, value: NoteValue | null): void {
    const known = this.#slotOf.get(id);
    if (known !== undefined) {
      this.#characters -= this.#slots[known]?.folded.length ?? 0;
      this.#slots[known] = undefined;
      this.#slotOf.delete(id);
      this.#removed++;
    }
    if (!value) return;
    this.#slotOf.set(id, this.#slots.length);
    const folded = foldCase(value.content);
    this.#slots.push({ id, value, folded, tags: value.tags.map(foldCase) });
    this.#characters += folded.length;
  }

  get(id: string): Note | undefined {
    const slot = this.#slots[this.#slotOf.get(id) ?? -1];
    return slot && noteOf(slot);
  }

  /** Newest first, by last edit. */
  list(tags: readonly string[], limit: number, offset: number): NoteMatches {
    const folded = tags.map(foldCase);
    const newest = new TopMatches(offset + limit);
    this.#slots.forEach((slot, number) => {
      if (slot && hasTags(slot, folded)) newest.offer(number, 0, slot.value.updated);
    });
    return { total: newest.total, notes: this.#notes(newest.numbers().slice(offset)), ranked: false };
  }

  search(query: NoteQuery): NoteMatches {
    if (query.query === "") return this.list(query.tags, query.limit, query.offset);
    const folded = foldCase(query.query);
    const tags = query.tags.map(foldCase);
    const exact = this.#topMatches(query);
    this.#containing(folded, (number, at) => {
      const slot = this.#slots[number];
      if (slot && hasTags(slot, tags)) exact.offer(number, at, slot.value.updated);
    });
    if (exact.total > 0) return this.#page(exact, query, false);
    const ranked = this.#topMatches(query);
    this.#eachScored(folded, (number, score) => {
      const slot = this.#slots[number];
      if (slot && hasTags(slot, tags)) ranked.offer(number, -score, slot.value.updated);
    });
    return this.#page(ranked, query, true);
  }

  /** Whether there are enough notes to need an index and it is incomplete; `indexSome` builds it in batches. */
  get needsIndex(): boolean {
    return this.size > maxScannedNotes && this.#indexed < this.#slots.length;
  }

  indexSome(count: number): void {
    if (this.#removed > 1_000 && this.#removed > this.#slotOf.size) this.#compact();
    const end = Math.min(this.#slots.length, this.#indexed + count);
    for (; this.#indexed < end; this.#indexed++) {
      const slot = this.#slots[this.#indexed];
      if (!slot) continue;
      if (slot.folded.length > maxIndexedLength) this.#long.push(this.#indexed);
      else this.#index.add(this.#indexed, slot.folded);
    }
  }

  #compact(): void {
    const kept = this.#slots.filter((slot) => slot !== undefined);
    this.#slots.length = 0;
    this.#slotOf.clear();
    for (const slot of kept) {
      this.#slotOf.set(slot.id, this.#slots.length);
      this.#slots.push(slot);
    }
    this.#index = new TermIndex();
    this.#indexed = 0;
    this.#removed = 0;
    this.#long = [];
  }

  /** Visits every slot that contains the query, with the position of the first match. */
  #containing(folded: string, visit: (number: number, at: number) => void): void {
    const read = (number: number) => {
      const at = this.#slots[number]?.folded.indexOf(folded) ?? -1;
      if (at !== -1) visit(number, at);
    };
    const indexed = this.size > maxScannedNotes ? this.#indexed : 0;
    const plan = indexed > 0 ? this.#index.find(folded, indexed) : undefined;
    if (plan) {
      this.#eachCandidate(plan, (number, at) => (plan.exact ? visit(number, at) : read(number)));
      for (const number of this.#long) read(number);
    }
    for (let number = plan ? indexed : 0; number < this.#slots.length; number++) read(number);
  }

  /** Visits each slot of a plan once, with its smallest position. */
  #eachCandidate(plan: Plan, visit: (number: number, at: number) => void): void {
    if (this.#firstMatch.length < this.#slots.length)
      this.#firstMatch = new Int32Array(this.#slots.length * 2).fill(-1);
    const first = this.#firstMatch;
    const touched: number[] = [];
    plan.each((number, at) => {
      const known = first[number] as number;
      if (known === -1) touched.push(number);
      if (known === -1 || at < known) first[number] = at;
    });
    for (const number of touched) {
      const at = first[number] as number;
      first[number] = -1;
      visit(number, at);
    }
  }

  /** Okapi BM25 over the query's words; each also matches its inflections, completions and misspellings. */
  #eachScored(folded: string, visit: (number: number, score: number) => void): void {
    while (this.#indexed < this.#slots.length) this.indexSome(this.#slots.length);
    const averageLength = this.#characters / Math.max(1, this.size);
    const scores = new Tally(this.#slots.length);
    const occurrences = new Tally(this.#slots.length);
    let compared = 0;
    for (const word of new Set(terms(folded))) {
      const target = queryWord(word);
      const isCompared = compared++ < maxComparedWords;
      let notes = 0;
      for (const { similarity, texts, each } of isCompared
        ? this.#index.similar(target)
        : this.#index.same(word)) {
        notes = Math.max(notes, similarity * texts);
        each((number, frequency) => occurrences.add(number, similarity * frequency));
      }
      const rarity = target.weight * Math.log(1 + Math.max(0.1, this.size - notes + 0.5) / (notes + 0.5));
      occurrences.drain((number, count) => {
        const length = (this.#slots[number]?.folded.length ?? 0) / averageLength;
        scores.add(
          number,
          (rarity * count * (saturation + 1)) /
            (count + saturation * (1 - lengthNormalisation + lengthNormalisation * length)),
        );
      });
    }
    scores.drain(visit);
  }

  #topMatches(query: NoteQuery): TopMatches {
    return new TopMatches(query.offset + query.limit);
  }

  #page(best: TopMatches, query: NoteQuery, ranked: boolean): NoteMatches {
    return { total: best.total, notes: this.#notes(best.numbers().slice(query.offset)), ranked };
  }

  #notes(numbers: number[]): Note[] {
    return numbers.map((number) => noteOf(this.#slots[number] as Slot));
  }
}

/** Sparse sums: one per slot, few of them non-zero. */
class Tally {
  readonly #sums: Float64Array;
  #touched: number[] = [];

  constructor(slots: number) {
    this.#sums = new Float64Array(slots);
  }

  add(slot: number, amount: number): void {
    if (this.#sums[slot] === 0) this.#touched.push(slot);
    this.#sums[slot] = (this.#sums[slot] as number) + amount;
  }

  drain(visit: (slot: number, sum: number) => void): void {
    const touched = this.#touched;
    this.#touched = [];
    for (const slot of touched) {
      const sum = this.#sums[slot] as number;
      this.#sums[slot] = 0;
      visit(slot, sum);
    }
  }
}

/** Keeps the best matches: smallest rank first, newest first among equals. */
class TopMatches {
  total = 0;
  readonly #count: number;
  #kept: { number: number; rank: number; updated: number }[] = [];
  #worstRank = Number.POSITIVE_INFINITY;
  #worstUpdated = -1;

  constructor(count: number) {
    this.#count = count;
  }

  offer(number: number, rank: number, updated: number): void {
    this.total++;
    if (rank > this.#worstRank || (rank === this.#worstRank && updated < this.#worstUpdated)) return;
    this.#kept.push({ number, rank, updated });
    if (this.#kept.length >= 2 * this.#count + 64) this.#prune();
  }

  numbers(): number[] {
    this.#prune();
    return this.#kept.map(({ number }) => number);
  }

  #prune(): void {
    this.#kept = this.#kept.sort((a, b) => a.rank - b.rank || b.updated - a.updated).slice(0, this.#count);
    const worst = this.#kept.length >= this.#count ? this.#kept.at(-1) : undefined;
    if (worst) [this.#worstRank, this.#worstUpdated] = [worst.rank, worst.updated];
  }
}

function noteOf(slot: Slot): Note {
  return { id: slot.id, ...slot.value, tags: [...slot.value.tags] };
}

function hasTags(slot: Slot, tags: readonly string[]): boolean {
  return tags.every((tag) => slot.tags.includes(tag));
}
