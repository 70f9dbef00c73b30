import { HoldfastError } from "../errors.ts";
import type { Session } from "../sessions/session.ts";
import type { SessionSummary } from "../stores/store.ts";
import { foldCase, type Note } from "../surfaces/notes/operations.ts";
import { readScratchpad } from "../surfaces/scratchpad/operations.ts";
import type { Reply } from "./api.ts";
import type { Workshop } from "./handlers/handlers.ts";

type Hit = Reply<"search">["hits"][number];

/** One page looks through no more sessions than this, so that none takes long; the cursor goes on. */
const mostSearched = 100;
/** Matches in one session that a page shows; the session's own search has them all. */
const mostInSession = 5;
const excerptBefore = 60;
const excerptLength = 240;

interface SearchQuery {
  q: string;
  status: "active" | "archived" | "deleted" | "all";
  limit: number;
  cursor?: string | undefined;
}

/** Session after session, the youngest first: an order that does not change while somebody writes. */
export async function searchSessions(
  { memory, directory }: Workshop,
  { q, status, limit, cursor }: SearchQuery,
): Promise<Reply<"search">> {
  const inOrder = (await directory.of(status)).toSorted(youngerFirst);
  const start = cursor === undefined ? 0 : placeAfter(inOrder, cursor);
  const hits: Hit[] = [];
  let place = start;
  while (place < inOrder.length && place - start < mostSearched && hits.length < limit) {
    const summary = inOrder[place++] as SessionSummary;
    const session = await memory.findSession(summary.id);
    hits.push(...titleHit(summary, q), ...(session ? await hitsIn(session, summary, q) : []));
    // Others get their turn between two sessions.
    await new Promise(setImmediate);
  }
  const last = inOrder[place - 1];
  const isDone = place >= inOrder.length || last === undefined;
  return { hits, searched: place - start, cursor: isDone ? null : cursorOf(last) };
}

async function hitsIn(session: Session, summary: SessionSummary, q: string): Promise<Hit[]> {
  const state = await session.state();
  const { notes: space, plan } = readScratchpad(state);
  const texts: [Hit["kind"], string][] = [
    ["notepad", state.row.notepad ?? ""],
    ["plan", plan],
    ["scratchpad", space],
  ];
  const hits = texts.flatMap(([kind, text]) => hitIn(summary, kind, text, q));
  if (state.row.counters.notes === 0) return hits;
  const { notes, ranked } = await session.notes.search({ query: q, limit: mostInSession });
  return [...hits, ...notes.map((note) => noteHit(summary, note, q, ranked))];
}

function titleHit(summary: SessionSummary, q: string): Hit[] {
  return hitIn(summary, "title", summary.title ?? "", q);
}

function hitIn(summary: SessionSummary, kind: Hit["kind"], text: string, q: string): Hit[] {
  if (!foldCase(text).includes(foldCase(q))) return [];
  return [hitAt(summary, kind, text, placeOf(text, q))];
}

function noteHit(summary: SessionSummary, note: Note, q: string, ranked: boolean): Hit {
  const place = ranked ? { at: 0, length: 0 } : placeOf(note.content, q);
  const hit = hitAt(summary, "note", note.content, place);
  return { ...hit, noteId: note.id, tags: note.tags, updatedAt: note.updatedAt };
}

/** In the text as written: folding its case may have made it longer. */
function placeOf(text: string, q: string): { at: number; length: number } {
  const literally = q.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const found = new RegExp(literally, "iu").exec(text);
  return { at: found?.index ?? 0, length: found?.[0].length ?? 0 };
}

function hitAt(
  { id, title, status, updatedAt }: SessionSummary,
  kind: Hit["kind"],
  text: string,
  { at, length }: { at: number; length: number },
): Hit {
  const from = Math.max(0, at - excerptBefore);
  const excerpt = text.slice(from, from + excerptLength).toWellFormed();
  return {
    sessionId: id,
    title,
    status,
    kind,
    noteId: null,
    tags: [],
    excerpt,
    at: at - from,
    length: Math.min(length, excerpt.length - (at - from)),
    updatedAt,
  };
}

function youngerFirst(a: SessionSummary, b: SessionSummary): number {
  return b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1);
}

function cursorOf({ createdAt, id }: SessionSummary): string {
  return `${createdAt}.${id}`;
}

function placeAfter(inOrder: readonly SessionSummary[], cursor: string): number {
  const [, time, id] = /^(\d+)\.(.+)$/.exec(cursor) ?? [];
  if (id === undefined) {
    throw new HoldfastError(
      "invalid_input",
      `${JSON.stringify(cursor)} is no cursor. Send back the one of the last answer, or none to begin anew.`,
    );
  }
  const last = { createdAt: Number(time), id } as SessionSummary;
  const place = inOrder.findIndex((session) => youngerFirst(last, session) < 0);
  return place === -1 ? inOrder.length : place;
}
