import { HoldfastError } from "../errors.ts";
import { type SearchHit, SessionSearch } from "../sessions/session-search.ts";
import type { SessionSummary } from "../stores/store.ts";
import type { Reply } from "./api.ts";
import type { ServerContext } from "./handlers.ts";
import type { HostSessions } from "./hosts.ts";

/** Limits how long one request takes (milliseconds); the cursor continues from there. */
const maxTimePerPage = 1_000;
const maxSessionsPerPage = 100;
const excerptBefore = 60;
const excerptLength = 240;

interface SearchQuery {
  q: string;
  status: "active" | "archived" | "deleted" | "all";
  limit: number;
  cursor?: string | undefined;
}

/** One page: the best hits of the next sessions, in order of creation, which writes do not change. */
export async function searchSessions(
  { memory, directory, hosts }: ServerContext,
  { q, status, limit, cursor }: SearchQuery,
): Promise<Reply<"search">> {
  const inOrder = (await directory.of(status)).toSorted(newestFirst);
  const start = cursor === undefined ? 0 : positionAfter(inOrder, cursor);
  const search = new SessionSearch({ query: q, limit });
  const begun = performance.now();
  let last: SessionSummary | undefined;
  let searched = 0;
  for (const summary of inOrder.slice(start, start + maxSessionsPerPage)) {
    if (searched > 0 && performance.now() - begun > maxTimePerPage) break;
    const session = await memory.findSession(summary.id);
    if (session) await search.add(session, (mayMatch) => hosts.messages(summary.id, mayMatch));
    else search.addTitle(summary);
    last = summary;
    searched++;
    // Let other requests run between two sessions.
    await new Promise(setImmediate);
  }
  return {
    hits: search.hits().map((hit) => toReply(hit, hosts)),
    total: search.total,
    searched,
    cursor: !last || start + searched >= inOrder.length ? null : cursorOf(last),
  };
}

function toReply(
  { session, kind, note, message, line, text, score, ranges }: SearchHit,
  hosts: HostSessions,
): Reply<"search">["hits"][number] {
  const [[at, to] = [0, 0]] = ranges;
  const from = Math.max(0, at - excerptBefore);
  const excerpt = text.slice(from, from + excerptLength).toWellFormed();
  return {
    sessionId: session.id,
    title: session.title ?? (hosts.about(session.id)?.ask || null),
    status: session.status,
    kind,
    noteId: note?.id ?? null,
    message: message ?? null,
    line,
    tags: note?.tags ?? [],
    excerpt,
    at: at - from,
    length: Math.min(to - at, excerpt.length - (at - from)),
    score,
    updatedAt: session.updatedAt,
  };
}

function newestFirst(a: SessionSummary, b: SessionSummary): number {
  return b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1);
}

function cursorOf({ createdAt, id }: SessionSummary): string {
  return `${createdAt}.${id}`;
}

function positionAfter(inOrder: readonly SessionSummary[], cursor: string): number {
  const [, time, id] = /^(\d+)\.(.+)$/.exec(cursor) ?? [];
  if (id === undefined) {
    throw new HoldfastError(
      "invalid_input",
      `${JSON.stringify(cursor)} is not a valid cursor. Send the one from the last response, or none to start over.`,
    );
  }
  const last = { createdAt: Number(time), id } as SessionSummary;
  const position = inOrder.findIndex((session) => newestFirst(last, session) < 0);
  return position === -1 ? inOrder.length : position;
}
