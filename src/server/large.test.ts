import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { call, refused, startTestServer } from "../../test/support/server.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { emptyCounters } from "../engine/state.ts";
import { openMemory } from "../index.ts";
import { openStore } from "../stores/open-store.ts";
import type { Store } from "../stores/store.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import { surfaceNames } from "../surfaces/surfaces.ts";

const entries = 100_000;
const start = Date.UTC(2026, 0, 1);

/** Stores a session with a journal of 100,000 entries. */
async function writeLongSession(store: Store): Promise<void> {
  const journal: JournalEntry[] = [];
  const textAt = (revision: number) => (revision < 2 ? "" : `At ${revision}`);
  for (let revision = 1; revision <= entries; revision++) {
    const isFirst = revision === 1;
    const content = textAt(revision);
    journal.push({
      revision,
      at: start + revision,
      actor: { kind: isFirst ? "system" : "agent" },
      surface: isFirst ? "session" : "notepad",
      operation: isFirst ? { type: "session.create" } : { type: "notepad.write", content },
      changes: isFirst
        ? []
        : [
            {
              type: "text",
              target: "notepad",
              at: 0,
              removed: textAt(revision - 1),
              inserted: content,
              ...(revision === 2 ? { first: true } : {}),
            },
          ],
      key: null,
      result: null,
    });
  }
  const row = { ...newRow("long"), revision: entries, notepad: textAt(entries), updatedAt: start + entries };
  assert.ok(await store.create({ row, records: [], entries: journal }));
}

function newRow(id: string) {
  return {
    id,
    owner: "local",
    agent: "default",
    title: id,
    status: "active" as const,
    origin: "created" as const,
    parent: null as string | null,
    lineage: [],
    createdAt: start,
    updatedAt: start,
    revision: 1,
    lastFork: 0,
    counters: emptyCounters(),
    notepad: null as string | null,
  };
}

/** Wraps a store and records the largest number of rows one read returned. */
function counted(store: Store): { store: Store; maxRows: () => number } {
  let maxRows = 0;
  const counting =
    <Args extends unknown[], Row>(read: (...args: Args) => Promise<Row[]>) =>
    async (...args: Args) => {
      const rows = await read(...args);
      maxRows = Math.max(maxRows, rows.length);
      return rows;
    };
  return {
    store: {
      ...delegate(store),
      journal: counting(store.journal.bind(store)),
      records: counting(store.records.bind(store)),
    },
    maxRows: () => maxRows,
  };
}

function delegate(store: Store): Store {
  return {
    create: (...args) => store.create(...args),
    load: (...args) => store.load(...args),
    revision: (...args) => store.revision(...args),
    commit: (...args) => store.commit(...args),
    records: (...args) => store.records(...args),
    versions: (...args) => store.versions(...args),
    journal: (...args) => store.journal(...args),
    entryByKey: (...args) => store.entryByKey(...args),
    sessions: (...args) => store.sessions(...args),
    purge: (...args) => store.purge(...args),
    watch: (...args) => store.watch(...args),
    close: () => store.close(),
  };
}

test("with 1,000 sessions and 100,000 journal entries every route reads in bounded batches [serve.large]", async (context) => {
  const { store, maxRows } = counted(
    await openStore(`sqlite:${join(temporaryDirectory(), "large.db")}?synchronous=normal`),
  );
  await writeLongSession(store);
  for (let number = 0; number < 1_000; number++) {
    const row = { ...newRow(`s${number}`), parent: number % 10 === 0 ? null : `s${number - (number % 10)}` };
    await store.create({ row, records: [], entries: [] });
  }
  const memory = await openMemory({ store, surfaces: surfaceNames });
  const { server } = await startTestServer(context, { memory });

  const roots = await call(server, "listSessions", { query: { parent: "none", limit: 200 } });
  assert.deepEqual([roots.total, roots.sessions.length], [101, 101]);
  const all = await call(server, "listSessions", { query: { limit: 200, offset: 900 } });
  assert.deepEqual([all.total, all.sessions.length, all.nextOffset], [1_001, 101, null]);

  const params = { id: "long" };
  await call(server, "session", { params });
  const newest = await call(server, "history", { params, query: { limit: 200 } });
  assert.deepEqual([newest.entries[0]?.revision, newest.entries.length], [entries, 200]);
  const middle = await call(server, "history", { params, query: { before: 50_001, limit: 200 } });
  assert.deepEqual(middle.entries[0]?.changes[0]?.lines, [
    { kind: "removed", text: "At 49999" },
    { kind: "added", text: "At 50000" },
  ]);
  for (const revision of [1, 2, 40_000, 40_001, 60_000, 39_000, 99_999]) {
    const { notepad } = await call(server, "session", { params, query: { revision } });
    assert.equal(notepad.text, revision < 2 ? "" : `At ${revision}`);
  }
  await call(server, "history", { params, query: { before: 30_001, full: "yes" } });
  await call(server, "messages", { params });
  await call(server, "calls", { params });
  await call(server, "week");
  const { error } = await refused(server, "edit", { params, body: { type: "undo", revision: 10 } }, 409);
  assert.match(error.message, /5000 revisions back/);
  await refused(server, "edit", { params, body: { type: "undo", revision: entries - 5 } }, 409);
  const { searched, sessions } = await call(server, "search", { query: { q: `At ${entries}` } });
  assert.deepEqual([searched, sessions], [1_001, 1_001]);
  assert.ok(maxRows() <= 1_000, `${maxRows()} rows were read at once`);
});
