import { checkRevision } from "../engine/check-fields.ts";
import { type DiffLine, diffLines } from "../engine/diff.ts";
import { requireEntries, sayHistoryStart } from "../engine/history-start.ts";
import { revertChanges, type State } from "../engine/state.ts";
import { planUndo } from "../engine/undo.ts";
import { HoldfastError } from "../errors.ts";
import type { Note } from "../surfaces/notes/operations.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import { readScratchpad, type Scratchpad } from "../surfaces/scratchpad/operations.ts";
import type { AppliedOperation, ApplyOptions } from "../surfaces/session-handle.ts";
import type { Session } from "./session.ts";

/** All of a session's memory at one revision. */
export interface MemorySnapshot {
  revision: number;
  notepad: string | null;
  scratchpad: Scratchpad;
  /** Newest first. */
  notes: Note[];
}

export interface MemoryDiff {
  from: number;
  to: number;
  notepad: DiffLine[];
  notes: { added: Note[]; removed: Note[]; changed: { before: Note; after: Note }[] };
  scratchpad: { notes: DiffLine[]; plan: DiffLine[]; refsAdded: string[]; refsRemoved: string[] };
}

/** Reverts entries one by one, from the newest back to the revision. */
export async function snapshotAt(session: Session, revision: number): Promise<MemorySnapshot> {
  const now = await session.state();
  checkRevision(now, revision);
  const notes = new Map<string, Note>((await session.notes.all()).map((note) => [note.id, note]));
  let state: State = now;
  const range = { from: revision + 1, to: now.row.revision };
  const entries = await session.history(range);
  requireEntries(session.id, entries, range);
  for (const entry of entries) {
    state = revertChanges(state, entry.changes, ({ kind, key, before }) => {
      if (kind !== "note") return;
      if (before === null) notes.delete(key);
      else notes.set(key, { id: key, ...before });
    });
  }
  return {
    revision,
    notepad: state.row.notepad,
    scratchpad: readScratchpad(state),
    notes: [...notes.values()].sort((a, b) => b.updated - a.updated),
  };
}

export function diffSnapshots(before: MemorySnapshot, after: MemorySnapshot): MemoryDiff {
  const old = new Map(before.notes.map((note) => [note.id, note]));
  const fresh = new Map(after.notes.map((note) => [note.id, note]));
  const changed = after.notes.flatMap((note) => {
    const earlier = old.get(note.id);
    const same =
      !earlier || (earlier.content === note.content && earlier.tags.join("\n") === note.tags.join("\n"));
    return same ? [] : [{ before: earlier, after: note }];
  });
  return {
    from: before.revision,
    to: after.revision,
    notepad: diffLines(before.notepad ?? "", after.notepad ?? ""),
    notes: {
      added: after.notes.filter(({ id }) => !old.has(id)),
      removed: before.notes.filter(({ id }) => !fresh.has(id)),
      changed,
    },
    scratchpad: {
      notes: diffLines(before.scratchpad.notes, after.scratchpad.notes),
      plan: diffLines(before.scratchpad.plan, after.scratchpad.plan),
      refsAdded: after.scratchpad.refs.filter((ref) => !before.scratchpad.refs.includes(ref)),
      refsRemoved: before.scratchpad.refs.filter((ref) => !after.scratchpad.refs.includes(ref)),
    },
  };
}

export async function undo(
  session: Session,
  revision: number | undefined,
  options: ApplyOptions,
): Promise<AppliedOperation<{ undone: number }>> {
  return session.change(
    async (state) => {
      const target = revision ?? (await lastUndoable(session));
      const [entry, ...later] = await session.history({
        from: target,
        to: state.row.revision,
        newestFirst: false,
      });
      if (!entry || entry.revision !== target || isBirth(entry)) {
        const start = await session.historyStart();
        const why = start && target < start.revision ? ` ${sayHistoryStart(session.id, start)}` : "";
        throw new HoldfastError(
          "cannot_undo",
          `Session ${session.id} has no operation to undo at revision ${target}.${why}`,
          {
            data: { revision: target },
          },
        );
      }
      if (revision !== undefined && isUndone(later, target)) {
        throw new HoldfastError("cannot_undo", `Revision ${target} is already undone. Nothing was changed.`, {
          data: { revision: target },
        });
      }
      return planUndo(entry, later);
    },
    ({ operation }) =>
      operation.type === "undo" && (revision === undefined || operation.revision === revision),
    { surface: "history", ...options },
  );
}

/** The newest entry that changed memory and is not undone. */
async function lastUndoable(session: Session): Promise<number> {
  const pageSize = 100;
  const undone = new Set<number>();
  for (let to = Number.MAX_SAFE_INTEGER; ; ) {
    const entries = await session.history({ to, limit: pageSize });
    for (const entry of entries) {
      const { operation } = entry;
      if (operation.type === "undo") {
        // If this undo was itself undone, its target is in effect again.
        if (!undone.has(entry.revision)) undone.add(operation.revision);
      } else if (isEdit(entry) && !undone.has(entry.revision)) return entry.revision;
    }
    const oldest = entries.at(-1)?.revision ?? 1;
    if (entries.length < pageSize || oldest <= 1) break;
    to = oldest - 1;
  }
  const start = await session.historyStart();
  const why = start ? ` ${sayHistoryStart(session.id, start)}` : "";
  throw new HoldfastError("cannot_undo", `Session ${session.id} has nothing left to undo.${why}`);
}

function isUndone(later: readonly JournalEntry[], target: number): boolean {
  const undone = new Set<number>();
  for (const { revision, operation } of later.toReversed()) {
    if (operation.type === "undo" && !undone.has(revision)) undone.add(operation.revision);
  }
  return undone.has(target);
}

function isBirth({ operation: { type } }: JournalEntry): boolean {
  return type === "session.create" || type === "session.import" || type === "session.forked";
}

function isEdit({ operation }: JournalEntry): boolean {
  return !["session", "messages", "context", "children"].includes(operation.type.split(".")[0] ?? "");
}
