import { sayHistoryStart } from "../../engine/history-start.ts";
import { revertChanges } from "../../engine/state.ts";
import { HoldfastError } from "../../errors.ts";
import type { Session } from "../../sessions/session.ts";
import type { JournalEntry } from "../../surfaces/operations.ts";
import { readScratchpad } from "../../surfaces/scratchpad/operations.ts";
import type { Reply } from "../api.ts";
import { isMemoryOperation } from "../describe-operation.ts";
import { fullLimits, listLimits, viewEntry } from "../journal-entries.ts";
import type { TimeTravel } from "../time-travel.ts";
import type { Handlers, ServerContext } from "./handlers.ts";
import { tasksOf } from "./memory.ts";

/** Entries that one page may skip in search of edits; the next page continues there. */
const maxScanned = 1_000;

/** Undo reads all later entries; more than this would block other requests. */
const maxUndoDistance = 5_000;

export function journalHandlers({
  memory,
  past,
}: ServerContext): Pick<Handlers, "journal" | "entry" | "memoryAt" | "undo"> {
  return {
    async journal({ params: { id }, query: { before, limit, only } }) {
      const session = await memory.resumeSession(id);
      const newest = (await session.state()).row.revision;
      const to = Math.min(newest, (before ?? Number.MAX_SAFE_INTEGER) - 1);
      const begins = (await session.historyStart()) ?? null;
      if (to < (begins?.revision ?? 1)) return { entries: [], newest, before: null, begins };
      const maxScan = only === "memory" ? maxScanned : limit;
      const { entries, oldest } = await readPage(session, past, { to, limit, only, maxScan });
      markUndone(entries);
      const isEnd = oldest === undefined || oldest <= (begins?.revision ?? 1);
      return { entries, newest, before: isEnd ? null : oldest, begins };
    },

    async entry({ params: { id, revision } }) {
      const session = await memory.resumeSession(id);
      const entry = await findEntry(session, revision);
      const { state } = await past.at(session, revision);
      return { entry: viewEntry(entry, state, fullLimits), operation: entry.operation };
    },

    async memoryAt({ params: { id, revision }, query: { offset, limit } }) {
      const session = await memory.resumeSession(id);
      const { state, notes } = await past.at(session, revision);
      const { at, actor, operation } = await findEntry(session, revision);
      const inOrder = [...notes.values()].sort((a, b) => b.updated - a.updated);
      const page = inOrder.slice(offset, offset + limit);
      return {
        revision,
        newest: (await session.state()).row.revision,
        at,
        actor,
        type: operation.type,
        notepad: state.row.notepad ?? "",
        scratchpad: readScratchpad(state),
        tasks: tasksOf(state),
        notes: page,
        totalNotes: inOrder.length,
        nextOffset: offset + page.length < inOrder.length ? offset + page.length : null,
      };
    },

    async undo({ params: { id }, body: { revision } }) {
      const session = await memory.resumeSession(id);
      const { row } = await session.state();
      if (row.revision - revision > maxUndoDistance) throw tooFarBack(revision);
      const undone = await session.undo(revision, { actor: { kind: "person" } });
      return { revision: undone.revision, undone: revision };
    },
  };
}

function tooFarBack(revision: number): HoldfastError {
  return new HoldfastError(
    "cannot_undo",
    `Revision ${revision} is more than ${maxUndoDistance} revisions back. Nothing was changed. View the memory at that revision and copy what you need.`,
    { data: { revision } },
  );
}

interface PageRequest {
  to: number;
  limit: number;
  only: "all" | "memory";
  /** Entries to read at most, shown or not. */
  maxScan: number;
}

/** Newest first. Reverts the state entry by entry, so that each entry shows the lines around its change. */
async function readPage(
  session: Session,
  past: TimeTravel,
  { to, limit, only, maxScan }: PageRequest,
): Promise<{ entries: Reply<"journal">["entries"]; oldest: number | undefined }> {
  const now = await session.state();
  // The newest revision needs no time travel and no notes.
  let { state } = now.row.revision === to ? { state: now } : await past.at(session, to);
  const entries: Reply<"journal">["entries"] = [];
  let oldest: number | undefined;
  let scanned = 0;
  for (let from = to; scanned < maxScan && from >= 1 && entries.length < limit; from = (oldest ?? 1) - 1) {
    const batch = await session.history({ to: from, limit: Math.min(50, maxScan - scanned) });
    if (batch.length === 0) break;
    for (const entry of batch) {
      if (entries.length === limit) break;
      if (only === "all" || isMemoryOperation(entry.operation.type))
        entries.push(viewEntry(entry, state, listLimits));
      state = revertChanges(state, entry.changes);
      oldest = entry.revision;
      scanned++;
    }
    await new Promise(setImmediate);
  }
  return { entries, oldest };
}

/** Marks an entry as undone when the entry that undid it is on the same page. */
function markUndone(entries: Reply<"journal">["entries"]): void {
  const undoneBy = new Map<number, number>();
  for (const { revision, undoes } of entries)
    if (undoes !== null && !undoneBy.has(revision)) undoneBy.set(undoes, revision);
  for (const entry of entries) {
    entry.undoneBy = undoneBy.get(entry.revision) ?? null;
    if (entry.undoneBy !== null) entry.canUndo = false;
  }
}

async function findEntry(session: Session, revision: number): Promise<JournalEntry> {
  const [entry] = await session.history({ from: revision, to: revision });
  if (entry) return entry;
  const start = await session.historyStart();
  if (start && revision < start.revision) {
    throw new HoldfastError("history_removed", sayHistoryStart(session.id, start), {
      data: { revision, begins: start.revision },
    });
  }
  throw new HoldfastError("not_found", `Session ${session.id} has no revision ${revision}.`, {
    data: { revision },
  });
}
