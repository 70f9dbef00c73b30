import type { SessionRow } from "../../engine/state.ts";
import { readScratchpad } from "../../surfaces/scratchpad/operations.ts";
import type { Session } from "../session.ts";
import { type LineMatch, LineMatcher } from "./match-lines.ts";

export type SearchedSession = Pick<SessionRow, "id" | "title" | "status" | "updatedAt">;

export interface SearchHit extends LineMatch {
  session: SearchedSession;
  kind: "title" | "notepad" | "plan" | "scratchpad" | "reference" | "note";
  /** Id and tags of a note. */
  note?: { id: string; tags: string[] };
}

export interface SearchOptions {
  query: string;
  /** How many hits to keep; the best ones stay. */
  limit: number;
  /** How many hits of one session to keep, so that one session does not hide the others. */
  perSession?: number;
}

const maxHitsPerSession = 5;

/**
 * One search through the memory of many sessions, added one by one, so that they are never in memory together.
 * Hits are ordered by score, then by how recently their session was updated.
 *
 * @example
 * const search = new SessionSearch({ query: "decimals", limit: 20 });
 * await search.add(session);
 * search.hits()[0]?.text;
 */
export class SessionSearch {
  /** All matches so far, including those not kept. */
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

  async add(session: Session): Promise<void> {
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
    this.#keep([...hits, ...notesFound]);
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

  /** A note is one hit, with its best line. */
  async #matchNotes(session: Session, searched: SearchedSession): Promise<SearchHit[]> {
    return (await session.notes.all()).flatMap(({ id, content, tags }): SearchHit[] => {
      const [best] = this.#matcher.match(content, tags.join(" ")).sort((a, b) => b.score - a.score);
      return best ? [{ session: searched, kind: "note", note: { id, tags }, ...best }] : [];
    });
  }

  #keep(hits: SearchHit[]): void {
    this.total += hits.length;
    this.#kept.push(...hits.sort(compareHits).slice(0, this.#perSession));
    if (this.#kept.length >= 2 * this.#limit + 100) this.hits();
  }
}

/** The id makes the order the same for every caller; hits of one session stay in the order of its memory. */
function compareHits(a: SearchHit, b: SearchHit): number {
  if (a.session.id === b.session.id) return b.score - a.score;
  return (
    b.score - a.score || b.session.updatedAt - a.session.updatedAt || (a.session.id < b.session.id ? -1 : 1)
  );
}

function summaryOf({ id, title, status, updatedAt }: SearchedSession): SearchedSession {
  return { id, title, status, updatedAt };
}
