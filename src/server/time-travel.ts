import { requireEntries, sayHistoryStart } from "../engine/history-start.ts";
import { type RecordVisitor, revertChanges, type State } from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import type { Session } from "../sessions/session.ts";
import type { Note } from "../surfaces/notes/operations.ts";

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

/** Walks a session's journal back, from now or from a cached snapshot, in small batches. */
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
    const start = await session.historyStart();
    if (start && revision < start.revision - 1) {
      throw new HoldfastError(
        "history_removed",
        `Revision ${revision} cannot be read any more. ${sayHistoryStart(session.id, start)}`,
        { data: { revision, begins: start.revision } },
      );
    }
    const birth = `${session.id}/${now.createdAt}`;
    let here = this.#after(birth, revision) ?? (await present(session));
    while (here.revision !== revision) {
      here = await back(session, here, revision);
      if (here.revision === revision || here.revision % snapshotInterval < batchSize)
        this.#cache(birth, here);
      await new Promise(setImmediate);
    }
    return here;
  }

  /** The oldest snapshot that is not older than a revision. */
  #after(birth: string, revision: number): Past | undefined {
    return [...this.#cached]
      .filter(([key, past]) => key.startsWith(`${birth}/`) && past.revision >= revision)
      .map(([, past]) => past)
      .sort((a, b) => a.revision - b.revision)[0];
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
  let { state } = here;
  let notes: Map<string, Note> | undefined;
  const visit: RecordVisitor = (change, side) => {
    if (change.kind !== "note") return;
    notes ??= new Map(here.notes);
    const note = change[side];
    if (note === null) notes.delete(change.key);
    else notes.set(change.key, { id: change.key, ...note });
  };
  for (const { changes } of entries) state = revertChanges(state, changes, visit);
  return { state, notes: notes ?? here.notes, revision: from - 1 };
}
