import { sayHistoryStart } from "../engine/history-start.ts";
import { revertChanges } from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import type { Session } from "../sessions/session.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import type { Reply } from "./api.ts";
import { factsOf } from "./compactions.ts";
import { isMemoryOperation } from "./describe-entry.ts";
import type { Handlers, ServerContext } from "./handlers.ts";
import { fullLimits, listLimits, viewEntry } from "./journal-entries.ts";
import type { TimeTravel } from "./time-travel.ts";

type Entries = Reply<"history">["entries"];

/** Entries that one page may skip in search of writes; the next page continues there. */
const maxScanned = 1_000;

export function historyHandlers({ memory, past }: ServerContext): Pick<Handlers, "history"> {
  return {
    async history({ params: { id }, query: { before, limit, all, full } }) {
      const session = await memory.resumeSession(id);
      const newest = (await session.state()).row.revision;
      const to = Math.min(newest, (before ?? Number.MAX_SAFE_INTEGER) - 1);
      const begins = (await session.historyStart()) ?? null;
      if (full && to < (begins?.revision ?? 1)) throw noRevision(session.id, to, begins);
      if (to < (begins?.revision ?? 1)) return { entries: [], newest, before: null, begins };
      const request = { to, limit: full ? 1 : limit, all: all || full, full };
      const { entries, oldest } = await readPage(session, past, request);
      markUndone(entries);
      const isEnd = oldest === undefined || oldest <= (begins?.revision ?? 1);
      return { entries, newest, before: isEnd ? null : oldest, begins };
    },
  };
}

interface PageRequest {
  to: number;
  limit: number;
  all: boolean;
  full: boolean;
}

/** Newest first. Reverts the state entry by entry, so that each entry shows the lines around its change. */
async function readPage(
  session: Session,
  past: TimeTravel,
  { to, limit, all, full }: PageRequest,
): Promise<{ entries: Entries; oldest: number | undefined }> {
  const now = await session.state();
  const maxScan = all ? limit : maxScanned;
  // The newest revision needs no time travel and no notes.
  let { state } = now.row.revision === to ? { state: now } : await past.at(session, to);
  const entries: Entries = [];
  let oldest: number | undefined;
  let scanned = 0;
  for (let from = to; scanned < maxScan && from >= 1 && entries.length < limit; from = (oldest ?? 1) - 1) {
    const batch = await session.history({ to: from, limit: Math.min(50, maxScan - scanned) });
    if (batch.length === 0) break;
    for (const entry of batch) {
      if (entries.length === limit) break;
      if (all || isStory(entry))
        entries.push({
          ...viewEntry(entry, state, full ? fullLimits : listLimits),
          compaction: compactionOf(entry),
        });
      state = revertChanges(state, entry.changes);
      oldest = entry.revision;
      scanned++;
    }
    await new Promise(setImmediate);
  }
  return { entries, oldest };
}

const events = ["context.warn", "context.skip_warning", "context.compact", "context.receipt"];

/** A write, a warning or a compaction. */
function isStory({ operation: { type } }: JournalEntry): boolean {
  return isMemoryOperation(type) || events.includes(type);
}

function compactionOf({ operation }: JournalEntry): Entries[number]["compaction"] {
  const isEnd = operation.type === "context.compact" || operation.type === "context.receipt";
  return isEnd ? factsOf(operation.receipt) : null;
}

/** Marks an entry as undone when the entry that undid it is on the same page. */
function markUndone(entries: Entries): void {
  const undoneBy = new Map<number, number>();
  for (const { revision, undoes } of entries)
    if (undoes !== null && !undoneBy.has(revision)) undoneBy.set(undoes, revision);
  for (const entry of entries) {
    entry.undoneBy = undoneBy.get(entry.revision) ?? null;
    if (entry.undoneBy !== null) entry.canUndo = false;
  }
}

function noRevision(id: string, revision: number, begins: Reply<"history">["begins"]): HoldfastError {
  const data = { revision, begins: begins?.revision ?? 1 };
  if (begins && revision > 0)
    return new HoldfastError("history_removed", sayHistoryStart(id, begins), { data });
  return new HoldfastError("not_found", `Session ${id} has no revision ${revision}.`, { data });
}
