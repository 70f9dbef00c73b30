import assert from "node:assert/strict";
import { step } from "../engine/commit.ts";
import type { JournalEntry } from "../engine/journal.ts";
import type { Json } from "../engine/json.ts";
import type { NoteValue, RecordKind } from "../engine/records.ts";
import {
  type Change,
  emptyCounters,
  type RecordChange,
  type SessionRow,
  type State,
} from "../engine/state.ts";
import type { Commit, Store, StoreChange } from "../stores/store.ts";

/** Text that is hard to store: every line ending, zero-width characters, both directions, astral characters, quotes. */
export const hardText =
  "a\r\nb\rc\n\ufeff\u200d\u202eäß漢字👩‍👩‍👧‍👦\ufffd'\"\\\\ $& %s \u0001\u007f\ud7ff\ue000 \u{10ffff}";

export function sessionRow(id: string, given: Partial<SessionRow> = {}): SessionRow {
  return {
    id,
    owner: "owner",
    agent: "agent",
    title: null,
    status: "active",
    origin: "created",
    parent: null,
    lineage: [],
    createdAt: 1_000,
    updatedAt: 1_000,
    revision: 1,
    lastFork: 0,
    counters: emptyCounters(),
    notepad: null,
    ...given,
  };
}

export function birth(row: SessionRow): JournalEntry {
  return entryOf(row.revision, [], {}, { type: "session.create" });
}

function entryOf(
  revision: number,
  changes: Change[],
  given: Partial<JournalEntry>,
  operation: JournalEntry["operation"] = { type: "session.rename", title: null },
): JournalEntry {
  return {
    revision,
    at: 1_000 + revision,
    actor: { kind: "agent" },
    surface: "test",
    operation,
    changes,
    key: null,
    result: null,
    ...given,
  };
}

export function note(content: string): NoteValue {
  return { content, tags: ["Tag"], createdAt: 1, updatedAt: 2, updated: 2 };
}

/** A store accepts any JSON as a record's value, so the contract writes values that no surface would. */
export function record(kind: RecordKind, key: string, before: Json, after: Json): Change {
  return { type: "record", kind, key, before, after } as RecordChange;
}

export function scopeOf(row: SessionRow) {
  return { owner: row.owner, sessionId: row.id };
}

/** Watches a store; `until` waits for a change and fails on timeout. */
export async function watchChanges(store: Store, watchTimeout = 10_000) {
  const changes: StoreChange[] = [];
  let wake = () => {};
  const stop = await store.watch(
    (change) => {
      changes.push(change);
      wake();
    },
    { owner: "owner" },
  );
  const until = async (sessionId: string, revision: number) => {
    const isThere = () => changes.at(-1)?.sessionId === sessionId && changes.at(-1)?.revision === revision;
    let deadline: NodeJS.Timeout | undefined;
    await new Promise<void>((proceed) => {
      wake = () => isThere() && proceed();
      deadline = setTimeout(proceed, watchTimeout);
      wake();
    });
    clearTimeout(deadline);
    assert.ok(
      isThere(),
      `the watcher did not get revision ${revision} of session ${sessionId} within ${watchTimeout} ms`,
    );
  };
  return { changes, until, stop };
}

/** A session that commits raw changes like the engine. */
export async function newSession(store: Store, id: string, given: Partial<SessionRow> = {}) {
  const row = sessionRow(id, given);
  assert.equal(await store.create({ row, records: [], entries: [birth(row)] }), true);
  const session = {
    scope: scopeOf(row),
    state: { row, resident: new Map() } as State,
    next(changes: Change[], entry: Partial<JournalEntry> = {}): Commit {
      const expected = session.state.row.revision;
      const line = entryOf(expected + 1, changes, entry);
      const { state, notepadChanged, records } = step(session.state, line);
      return { scope: session.scope, expected, row: state.row, notepadChanged, records, entry: line };
    },
    async commit(changes: Change[], entry: Partial<JournalEntry> = {}): Promise<void> {
      const commit = session.next(changes, entry);
      assert.equal(await store.commit(commit), true);
      session.state = step(session.state, commit.entry).state;
    },
    put: (kind: RecordKind, key: string, value: Json) => session.commit([record(kind, key, null, value)]),
  };
  return session;
}
