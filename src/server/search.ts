import { type SearchHit, SessionSearch } from "../sessions/session-search.ts";
import type { Reply } from "./api.ts";
import type { ServerContext } from "./handlers.ts";
import type { HostSessions } from "./hosts.ts";

/** A search stops here, and the answer has how many sessions it read (milliseconds). */
const maxTime = 5_000;
const excerptBefore = 60;
const excerptLength = 240;

interface SearchQuery {
  q: string;
  status: "active" | "archived" | "deleted" | "all";
  limit: number;
}

/** The best hits of all sessions. Reads the ones that changed last first. */
export async function searchSessions(
  { memory, directory, hosts }: ServerContext,
  { q, status, limit }: SearchQuery,
): Promise<Reply<"search">> {
  const sessions = await directory.of(status);
  const search = new SessionSearch({ query: q, limit });
  const begun = performance.now();
  let searched = 0;
  for (const summary of sessions) {
    if (searched > 0 && performance.now() - begun > maxTime) break;
    const session = await memory.findSession(summary.id);
    if (session) await search.add(session, (mayMatch) => hosts.messages(summary.id, mayMatch));
    else search.addTitle(summary);
    searched++;
    // Let other requests run between two sessions.
    await new Promise(setImmediate);
  }
  return {
    hits: search.hits().map((hit) => toReply(hit, hosts)),
    total: search.total,
    searched,
    sessions: sessions.length,
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
