import { requireEntries, sayHistoryStart } from "../engine/history-start.ts";
import {
  applyChanges,
  emptyCounters,
  type RecordVisitor,
  revertChanges,
  type State,
} from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import type { Session } from "../sessions/session.ts";
import type { Note } from "../surfaces/notes/operations.ts";
import type { JournalEntry } from "../surfaces/operations.ts";

/** A session's memory right after a revision. Immutable, so it can be cached. */
export interface Past {
  revision: number;
  state: State;
  notes: ReadonlyMap<string, Note>;
}

/** Entries per read; other requests run between two batches. */
const batchSize = 250;
/** Cached snapshots, so that a step from one of them is short. */
const maxCached = 30;
/** A long walk caches a snapshot every so many revisions. */
const snapshotInterval = 5_000;
/** Snapshots with more notes are too large to cache. */
const maxNotesCached = 5_000;

/** Walks a session's journal from the nearest cached snapshot, forward or back, in small batches. */
export class TimeTravel {
  readonly #cached = new Map<string, Past>();

  async at(session: Session, revision: number): Promise<Past> {
    const now = (await session.state()).row;
    if (revision < 1 || revision > now.revision) {
      throw new HoldfastError(
        "not_found",
        `Session ${session.id} has revisions 1 to ${now.revision}; ${revision} is out of range.`,
        { data: { revision, newest: now.revision } },
      );
    }
    const birth = `${session.id}/${now.createdAt}`;
    const start = await session.historyStart();
    if (start && revision < start.revision - 1) {
      throw new HoldfastError(
        "history_removed",
        `Revision ${revision} cannot be read any more. ${sayHistoryStart(session.id, start)}`,
        { data: { revision, begins: start.revision } },
      );
    }
    let here = await this.#nearest(session, birth, revision, start === undefined);
    while (here.revision !== revision) {
      here =
        here.revision > revision
          ? await back(session, here, revision)
          : await forward(session, here, revision);
      if (here.revision === revision || here.revision % snapshotInterval < batchSize)
        this.#cache(birth, here);
      await new Promise(setImmediate);
    }
    return here;
  }

  async #nearest(session: Session, birth: string, revision: number, isWhole: boolean): Promise<Past> {
    const { row } = await session.state();
    const cached = [...this.#cached].filter(([key]) => key.startsWith(`${birth}/`)).map(([, past]) => past);
    // Retention may have removed what is after an old snapshot.
    const known = isWhole ? cached : cached.filter((past) => past.revision >= revision);
    // A session that was created empty has a known first revision.
    if (row.origin === "created" && isWhole) known.push(beginningOf(row));
    const best = known.sort((a, b) => Math.abs(a.revision - revision) - Math.abs(b.revision - revision))[0];
    return best && Math.abs(best.revision - revision) <= row.revision - revision ? best : present(session);
  }

  #cache(birth: string, past: Past): void {
    if (past.notes.size > maxNotesCached) return;
    const key = `${birth}/${past.revision}`;
    this.#cached.delete(key);
    this.#cached.set(key, past);
    const oldest = this.#cached.size > maxCached ? this.#cached.keys().next().value : undefined;
    if (oldest !== undefined) this.#cached.delete(oldest);
  }
}

function beginningOf(row: State["row"]): Past {
  const empty = { ...row, notepad: null, counters: emptyCounters(), lastFork: 0, status: "active" as const };
  return { revision: 1, state: { row: empty, resident: new Map() }, notes: new Map() };
}

/** The state and notes of one revision; retries when a concurrent write comes between the two reads. */
async function present(session: Session): Promise<Past> {
  for (;;) {
    const state = await session.state();
    const notes = await session.notes.all();
    if ((await session.state()).row.revision !== state.row.revision) continue;
    return {
      revision: state.row.revision,
      state,
      notes: new Map(notes.map((note) => [note.id, note])),
    };
  }
}

async function back(session: Session, here: Past, target: number): Promise<Past> {
  const from = Math.max(target + 1, here.revision - batchSize + 1);
  const entries = await session.history({ from, to: here.revision });
  requireEntries(session.id, entries, { from, to: here.revision });
  return { ...walk(here, entries, revertChanges), revision: from - 1 };
}

async function forward(session: Session, here: Past, target: number): Promise<Past> {
  const to = Math.min(target, here.revision + batchSize);
  const entries = await session.history({ from: here.revision + 1, to, newestFirst: false });
  requireEntries(session.id, entries, { from: here.revision + 1, to });
  return { ...walk(here, entries, applyChanges), revision: to };
}

function walk(
  here: Past,
  entries: readonly JournalEntry[],
  step: typeof applyChanges,
): Pick<Past, "state" | "notes"> {
  let { state } = here;
  let notes: Map<string, Note> | undefined;
  const visit: RecordVisitor = (change, side) => {
    if (change.kind !== "note") return;
    notes ??= new Map(here.notes);
    const note = change[side];
    if (note === null) notes.delete(change.key);
    else notes.set(change.key, { id: change.key, ...note });
  };
  for (const { changes } of entries) state = step(state, changes, visit);
  return { state, notes: notes ?? here.notes };
}
