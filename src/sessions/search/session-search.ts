import { plainTextOf, toStored } from "../../context/conversation.ts";
import type { Json } from "../../engine/json.ts";
import { messageKey } from "../../engine/messages.ts";
import type { SessionRow } from "../../engine/state.ts";
import { readScratchpad } from "../../surfaces/scratchpad/operations.ts";
import type { Session } from "../session.ts";
import { type LineMatch, LineMatcher } from "./match-lines.ts";

export type SearchedSession = Pick<SessionRow, "id" | "title" | "status" | "updatedAt">;

export interface SearchHit extends LineMatch {
  session: SearchedSession;
  kind: "title" | "notepad" | "plan" | "scratchpad" | "reference" | "note" | "message";
  /** Id and tags of a note. */
  note?: { id: string; tags: string[] };
  /** Number of a message. */
  message?: number;
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
 * says of its raw text whether reading it is worth the while.
 */
export type ReadMessages = (
  mayMatch: (raw: string) => boolean,
) => Promise<readonly { number: number; stored: Json }[]>;

const maxHitsPerSession = 5;

/** Older messages of a long conversation are not searched, so that one session does not delay all others. */
const maxMessages = 2_000;

/**
 * Searches many sessions. Sessions are added one by one, so they need not fit in memory together.
 * Hits are ordered by score, then by the session's last update, newest first.
 *
 * @example
 * const search = new SessionSearch({ query: "decimals", limit: 20 });
 * await search.add(session);
 * search.hits()[0]?.text;
 */
export class SessionSearch {
  /** Number of matches so far, including dropped ones. */
  total = 0;
  readonly #matcher: LineMatcher;
  readonly #limit: number;
  readonly #perSession: number;
  #kept: SearchHit[] = [];

  constructor({ query, limit, perSession = maxHitsPerSession }: SearchOptions) {
    this.#matcher = new LineMatcher(query);
    this.#limit = limit;
    this.#perSession = perSession;
  }

  /** `elsewhere` reads the messages of a session that stores none itself. */
  async add(session: Session, elsewhere?: ReadMessages): Promise<void> {
    const state = await session.state();
    const { notes, plan, refs } = readScratchpad(state);
    const texts = [
      ["title", state.row.title ?? ""],
      ["notepad", state.row.notepad ?? ""],
      ["plan", plan],
      ["scratchpad", notes],
      ["reference", refs.join("\n")],
    ] as const;
    const searched = summaryOf(state.row);
    const hits = texts.flatMap(([kind, text]) => this.#matchText(searched, kind, text));
    const notesFound = state.row.counters.notes === 0 ? [] : await this.#matchNotes(session, searched);
    const messages = await this.#readMessages(session, state.row.counters.lastMessage, elsewhere);
    const messagesFound = this.#matchMessages(messages, searched);
    this.#keep([...hits, ...notesFound, ...messagesFound]);
  }

  /** For a session whose memory cannot be opened, such as a deleted one. */
  addTitle(session: SearchedSession): void {
    this.#keep(this.#matchText(summaryOf(session), "title", session.title ?? ""));
  }

  /** The best hits so far. */
  hits(): SearchHit[] {
    this.#kept = this.#kept.sort(compareHits).slice(0, this.#limit);
    return [...this.#kept];
  }

  #matchText(session: SearchedSession, kind: SearchHit["kind"], text: string): SearchHit[] {
    return text === "" ? [] : this.#matcher.match(text).map((match) => ({ session, kind, ...match }));
  }

  /** One hit per note: its best line. */
  async #matchNotes(session: Session, searched: SearchedSession): Promise<SearchHit[]> {
    return (await session.notes.all()).flatMap(({ id, content, tags }): SearchHit[] => {
      const [best] = this.#matcher.match(content, tags.join(" ")).sort((a, b) => b.score - a.score);
      return best ? [{ session: searched, kind: "note", note: { id, tags }, ...best }] : [];
    });
  }

  async #readMessages(session: Session, last: number, elsewhere: ReadMessages | undefined) {
    if (last === 0) {
      const messages = (await elsewhere?.((raw) => this.#matcher.mayMatchIn(raw))) ?? [];
      return messages.slice(-maxMessages);
    }
    const range = { from: messageKey(Math.max(1, last - maxMessages + 1)), to: messageKey(last) };
    const records = await session.records("message", undefined, range);
    return records.map(({ key, value }) => ({ number: Number(key), stored: value }));
  }

  /** One hit per message, newest first: the best line of those that contain all words of the query. */
  #matchMessages(
    messages: readonly { number: number; stored: Json }[],
    searched: SearchedSession,
  ): SearchHit[] {
    return messages.toReversed().flatMap(({ number, stored }): SearchHit[] => {
      const { message } = toStored(number, stored);
      const text = message?.content === undefined ? "" : plainTextOf(message);
      if (!this.#matcher.isWorthMatching(text)) return [];
      const [best] = this.#matcher.match(text).sort((a, b) => b.score - a.score);
      return best ? [{ session: searched, kind: "message", message: number, ...best }] : [];
    });
  }

  #keep(hits: SearchHit[]): void {
    this.total += hits.length;
    this.#kept.push(...hits.sort(compareHits).slice(0, this.#perSession));
    if (this.#kept.length >= 2 * this.#limit + 100) this.hits();
  }
}

/** Ties are broken by session id, so the order is deterministic; hits of one session keep their order. */
function compareHits(a: SearchHit, b: SearchHit): number {
  if (a.session.id === b.session.id) return b.score - a.score;
  return (
    b.score - a.score || b.session.updatedAt - a.session.updatedAt || (a.session.id < b.session.id ? -1 : 1)
  );
}

function summaryOf({ id, title, status, updatedAt }: SearchedSession): SearchedSession {
  return { id, title, status, updatedAt };
}
