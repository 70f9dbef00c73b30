import { plainTextOf, toStored } from "../context/conversation.ts";
import type { Json } from "../engine/json.ts";
import { messageKey } from "../engine/messages.ts";
import { eachOccurrence, lowerCase, queryWords, rankPassages } from "../engine/rank.ts";
import type { SessionRow } from "../engine/state.ts";
import { readScratchpad } from "../surfaces/scratchpad/operations.ts";
import type { Session } from "./session.ts";

export type SearchedSession = Pick<SessionRow, "id" | "title" | "status" | "updatedAt">;

export interface SearchHit extends Passage {
  /** From 1. */
  line: number;
  /** The line, or several if the query has line breaks. */
  text: string;
  /** 2: the text contains the query. 1: a tag of the note does. Less: it shares words with the query. */
  score: number;
  /** Positions of the query or of its words in the text. */
  ranges: [from: number, to: number][];
}

/** The unit of a search: a line of a text, a note or a message. */
interface Passage {
  session: SearchedSession;
  kind: "title" | "notepad" | "plan" | "scratchpad" | "reference" | "note" | "message";
  /** Id and tags of a note. */
  note?: { id: string; tags: string[] };
  /** Number of a message. */
  message?: number;
}

/** A passage that shares words with the query. */
interface Similar extends Passage {
  line: number;
  text: string;
}

export interface SearchOptions {
  query: string;
  /** Max hits; the best are kept. */
  limit: number;
  /** Max hits per session, so that one session does not hide the others. */
  perSession?: number;
}

/**
 * Reads the messages of a conversation that is kept outside the session, such as a coding agent's transcript. `mayMatch`
 * tells from its raw text whether it may contain a match.
 */
export type ReadMessages = (
  mayMatch: (raw: string) => boolean,
) => Promise<readonly { number: number; stored: Json }[]>;

const maxHitsPerSession = 5;

/** Older messages of a long conversation are not searched, so that one session does not delay all others. */
const maxMessages = 2_000;

/** Beyond this many, only the better half of what shares words with the query is kept. */
const maxSimilar = 10_000;

/**
 * Searches many sessions. Sessions are added one by one, so they need not fit in memory together. Hits contain the query,
 * those of the session that was changed last first. If there are none, they share its words, best first.
 *
 * @example
 * const search = new SessionSearch({ query: "decimals", limit: 20 });
 * await search.add(session);
 * search.hits()[0]?.text;
 */
export class SessionSearch {
  readonly #query: string;
  readonly #needle: string;
  readonly #words: ReturnType<typeof queryWords>;
  readonly #limit: number;
  readonly #perSession: number;
  #found = 0;
  #kept: SearchHit[] = [];
  #similarFound = 0;
  #similar: Similar[] = [];

  constructor({ query, limit, perSession = maxHitsPerSession }: SearchOptions) {
    this.#query = query.includes("\n") ? query : query.trim() || query;
    this.#needle = lowerCase(this.#query);
    this.#words = queryWords(query);
    this.#limit = limit;
    this.#perSession = perSession;
  }

  /** Number of matches so far, including dropped ones. */
  get total(): number {
    return this.#found || this.#similarFound;
  }

  /** `elsewhere` reads the messages of a session that stores none itself. */
  async add(session: Session, elsewhere?: ReadMessages): Promise<void> {
    const state = await session.state();
    const { row } = state;
    const { notes, plan, refs } = readScratchpad(state);
    const searched = summaryOf(row);
    const hits = [
      ...this.#matchLines({ session: searched, kind: "title" }, row.title ?? ""),
      ...this.#matchLines({ session: searched, kind: "notepad" }, row.notepad ?? ""),
      ...this.#matchLines({ session: searched, kind: "plan" }, plan),
      ...this.#matchLines({ session: searched, kind: "scratchpad" }, notes),
      ...this.#matchLines({ session: searched, kind: "reference" }, refs.join("\n")),
    ];
    if (row.counters.notes > 0) {
      for (const { id, content, tags } of await session.notes.all())
        hits.push(...this.#matchNote({ session: searched, kind: "note", note: { id, tags } }, content, tags));
    }
    for (const { number, text } of await this.#readMessages(session, row.counters.lastMessage, elsewhere))
      if (this.#hasAllWords(text))
        hits.push(...this.#match({ session: searched, kind: "message", message: number }, text));
    this.#keep(hits);
  }

  /** For a session whose memory cannot be opened, such as a deleted one. */
  addTitle(session: SearchedSession): void {
    this.#keep(this.#matchLines({ session: summaryOf(session), kind: "title" }, session.title ?? ""));
  }

  /** The best hits so far. */
  hits(): SearchHit[] {
    if (this.#found === 0) return this.#rankSimilar();
    this.#kept = this.#kept.sort(compareHits).slice(0, this.#limit);
    return [...this.#kept];
  }

  /** A query with line breaks may be in several lines, any other in one. */
  #matchLines(passage: Passage, text: string): SearchHit[] {
    if (this.#query.includes("\n")) return this.#match(passage, text);
    return text.split("\n").flatMap((line, index) => this.#match(passage, line, index + 1));
  }

  #matchNote(passage: Passage, content: string, tags: readonly string[]): SearchHit[] {
    if (!lowerCase(content).includes(this.#needle)) {
      const [text = ""] = content.split("\n", 1);
      if (lowerCase(tags.join(" ")).includes(this.#needle))
        return [{ ...passage, line: 1, text, score: 1, ranges: [] }];
    }
    return this.#match(passage, content);
  }

  /** The first place that contains the query. A text that only shares words is put aside. */
  #match(passage: Passage, text: string, line = 1): SearchHit[] {
    const at = lowerCase(text).indexOf(this.#needle);
    if (at === -1) {
      if (this.#found === 0 && this.#rangesIn(text).length > 0) this.#putAside({ ...passage, line, text });
      return [];
    }
    const stop = at + this.#needle.length;
    const start = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
    const end = text.indexOf("\n", stop);
    return [
      {
        ...passage,
        line: line + text.slice(0, start).split("\n").length - 1,
        text: text.slice(start, end === -1 ? undefined : end).replace(/\r$/, ""),
        score: 2,
        ranges: [[at - start, stop - start]],
      },
    ];
  }

  #putAside(similar: Similar): void {
    this.#similarFound++;
    this.#similar.push(similar);
    if (this.#similar.length <= maxSimilar) return;
    const best = rankPassages(
      this.#query,
      this.#similar.map(({ text }) => text),
    ).slice(0, maxSimilar / 2);
    this.#similar = best.flatMap(({ index }) => this.#similar[index] ?? []);
  }

  #rankSimilar(): SearchHit[] {
    const inOrder = this.#similar.toSorted((a, b) => compareSessions(a.session, b.session));
    const ranked = rankPassages(
      this.#query,
      inOrder.map(({ text }) => text),
    );
    const taken = new Map<string, number>();
    const best: SearchHit[] = [];
    for (const { index, score } of ranked) {
      const similar = inOrder[index];
      const count = taken.get(similar?.session.id ?? "") ?? 0;
      if (best.length === this.#limit || !similar) break;
      if (count === this.#perSession) continue;
      taken.set(similar.session.id, count + 1);
      best.push(this.#bestLine(similar, score / (1 + score)));
    }
    return best;
  }

  #bestLine({ text, line, ...passage }: Similar, score: number): SearchHit {
    const lines = text.split("\n").map((each) => each.replace(/\r$/, ""));
    const [best] = rankPassages(this.#query, lines);
    const chosen = lines[best?.index ?? 0] ?? "";
    return {
      ...passage,
      line: line + (best?.index ?? 0),
      text: chosen,
      score,
      ranges: this.#rangesIn(chosen),
    };
  }

  #rangesIn(text: string): [from: number, to: number][] {
    const lower = lowerCase(text);
    const ranges: [from: number, to: number][] = [];
    for (const word of this.#words) eachOccurrence(word, text, lower, (from, to) => ranges.push([from, to]));
    return ranges.sort(([a, endA], [b, endB]) => a - b || endB - endA);
  }

  /** Of the many messages, only those that contain the query or all of its words are searched. */
  #hasAllWords(text: string): boolean {
    const lower = lowerCase(text);
    return lower.includes(this.#needle) || this.#words.every(({ stem }) => lower.includes(stem));
  }

  /** The same for a file that escapes its texts, such as JSON. Words that it may have escaped are not looked for. */
  #mayHaveAllWords(raw: string): boolean {
    const lower = lowerCase(raw);
    return this.#words.every(({ stem }) => /[^a-z0-9]/.test(stem) || lower.includes(stem));
  }

  /** Newest first. */
  async #readMessages(
    session: Session,
    last: number,
    elsewhere: ReadMessages | undefined,
  ): Promise<{ number: number; text: string }[]> {
    const range = { from: messageKey(Math.max(1, last - maxMessages + 1)), to: messageKey(last) };
    const messages =
      last === 0
        ? ((await elsewhere?.((raw) => this.#mayHaveAllWords(raw))) ?? []).slice(-maxMessages)
        : (await session.records("message", undefined, range)).map(({ key, value }) => ({
            number: Number(key),
            stored: value,
          }));
    return messages.toReversed().map(({ number, stored }) => {
      const { message } = toStored(number, stored);
      return { number, text: message?.content === undefined ? "" : plainTextOf(message) };
    });
  }

  #keep(hits: SearchHit[]): void {
    if (hits.length > 0) this.#similar = [];
    this.#found += hits.length;
    this.#kept.push(...hits.sort(compareHits).slice(0, this.#perSession));
    if (this.#kept.length >= 2 * this.#limit + 100) this.hits();
  }
}

/** Hits of one session keep their order. */
function compareHits(a: SearchHit, b: SearchHit): number {
  return b.score - a.score || compareSessions(a.session, b.session);
}

/** Newest first; by id if they are equally new, so that the order is always the same. */
function compareSessions(a: SearchedSession, b: SearchedSession): number {
  return b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function summaryOf({ id, title, status, updatedAt }: SearchedSession): SearchedSession {
  return { id, title, status, updatedAt };
}
