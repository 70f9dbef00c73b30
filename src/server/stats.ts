import type { JournalEntry } from "../engine/journal.ts";
import type { Memory } from "../sessions/memory.ts";
import type { Session } from "../sessions/session.ts";
import type { SessionSummary } from "../stores/store.ts";
import type { Reply } from "./api.ts";
import type { Handlers, ServerContext } from "./handlers/handlers.ts";

type Stats = Reply<"stats">;

const day = 86_400_000;

export function statsHandlers({ memory, clock }: ServerContext): Pick<Handlers, "stats"> {
  return {
    stats: ({ query: { days } }) => gatherStats(memory, clock() - days * day),
  };
}

/** Counts what sessions, writes and compactions there were since a time. */
async function gatherStats(memory: Memory, since: number): Promise<Stats> {
  const stats: Stats = {
    since,
    sessions: 0,
    writes: { agent: 0, person: 0 },
    compactions: 0,
    messages: { retrievable: 0, lost: 0 },
  };
  for await (const { id } of sessionsSince(memory, since)) {
    stats.sessions++;
    await addSession(stats, await memory.resumeSession(id), since);
  }
  return stats;
}

const pageSize = 500;

/** Sessions are listed newest first, so the rest was not written to in the period. */
async function* sessionsSince(memory: Memory, since: number): AsyncGenerator<SessionSummary> {
  for (let last: SessionSummary | undefined; ; ) {
    const after = last ? { after: { updatedAt: last.updatedAt, id: last.id } } : {};
    const page = await memory.listSessions({ status: "all", limit: pageSize, ...after });
    for (const session of page) {
      if (session.updatedAt < since) return;
      yield session;
    }
    last = page.at(-1);
    if (!last || page.length < pageSize) return;
  }
}

async function addSession(stats: Stats, session: Session, since: number): Promise<void> {
  const { writes } = stats;
  const entries = await entriesSince(session, since);
  const epochs = new Set(
    entries.flatMap(({ changes }) =>
      changes.flatMap((change) => ("kind" in change && change.kind === "receipt" ? [change.key] : [])),
    ),
  );
  for (const { actor } of entries.filter(isWrite))
    if (actor.kind === "agent" || actor.kind === "person") writes[actor.kind]++;
  const receipts = (await session.receipts()).filter(({ epoch }) => epochs.has(String(epoch)));
  for (const { messages, rest } of receipts) stats.messages[rest] += messages;
  stats.compactions += receipts.length;
}

/** The conversation itself is no write to memory. */
function isWrite({ operation }: JournalEntry): boolean {
  return !/^(?:context|session|messages?|results)\./.test(operation.type);
}

async function entriesSince(session: Session, since: number): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for (let to: number | undefined; ; ) {
    const page = await session.history({ limit: pageSize, ...(to === undefined ? {} : { to }) });
    const recent = page.filter(({ at }) => at >= since);
    entries.push(...recent);
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize || recent.length < page.length) return entries;
    to = last.revision - 1;
  }
}
