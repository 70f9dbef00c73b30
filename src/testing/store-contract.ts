import assert from "node:assert/strict";
import { step } from "../engine/commit.ts";
import type { LedgerPiece } from "../stores/ledger.ts";
import { openEnd, type Store } from "../stores/store.ts";
import {
  birth,
  hardText,
  newSession,
  note,
  record,
  scopeOf,
  sessionRow,
  watchChanges,
} from "./contract-session.ts";

/** The parts that the suite needs from a store driver. */
export interface StoreHarness {
  /** Opens another handle on the same store, which is empty at first. */
  open(): Promise<Store>;
  /** Whether writes survive after all handles are closed. */
  durable: boolean;
  /** How long a change may take to reach a watcher (default: 10,000). */
  watchTimeout?: number;
}

export interface ContractCase {
  name: string;
  run(harness: StoreHarness): Promise<void>;
}

function withStore(run: (store: Store, harness: StoreHarness) => Promise<void>): ContractCase["run"] {
  return async (harness) => {
    const store = await harness.open();
    try {
      await run(store, harness);
    } finally {
      await store.close();
    }
  };
}

const piece = (text: string): LedgerPiece => ({ part: "history", role: "user", tokens: 3, text });
const call = (pieces: string[], more: { base?: number; kept?: number } = {}) => ({
  at: 1_000,
  base: 0,
  kept: 0,
  pieces,
  facts: { model: hardText },
  ...more,
});

/** The contract of a store with a ledger; a store without one passes every case. */
const ledgerContract: readonly ContractCase[] = [
  {
    name: "keeps the prompts of model calls, each piece once, in the order of the calls",
    run: withStore(async (store, harness) => {
      const { ledger } = store;
      if (!ledger) return;
      const { scope } = await newSession(store, "a");
      assert.deepEqual(await ledger.calls(scope, {}), []);
      const texts = new Map([
        ["h1", piece(hardText)],
        ["h2", piece("two")],
      ]);
      assert.equal(await ledger.record(scope, call(["h1", "h2"]), texts), 1);
      const later = new Map([
        ["h2", piece("another text under a hash that is taken")],
        ["h3", { part: "tools", role: "system", tokens: 0, text: "" }],
      ]);
      assert.equal(await ledger.record(scope, call(["h3"], { base: 1, kept: 2 }), later), 2);
      const calls = [
        { number: 1, ...call(["h1", "h2"]) },
        { number: 2, ...call(["h3"], { base: 1, kept: 2 }) },
      ];
      assert.deepEqual(await ledger.calls(scope, {}), calls);
      assert.deepEqual(await ledger.calls(scope, { newestFirst: true, limit: 1 }), calls.slice(1));
      assert.deepEqual(await ledger.calls(scope, { from: 1, to: 1 }), calls.slice(0, 1));
      const found = await ledger.pieces(scope, ["h3", "h1", "h2", "missing"]);
      assert.deepEqual(
        [...found].sort(([a], [b]) => (a < b ? -1 : 1)),
        [
          ["h1", piece(hardText)],
          ["h2", piece("two")],
          ["h3", { part: "tools", role: "system", tokens: 0, text: "" }],
        ],
      );
      if (!harness.durable) return;
      const other = await harness.open();
      assert.deepEqual(await other.ledger?.calls(scope, {}), calls);
      assert.equal(await other.ledger?.record(scope, call(["h1"]), new Map()), 3);
      await other.close();
      assert.equal((await ledger.calls(scope, {})).length, 3);
    }),
  },
  {
    name: "adds copied model calls under their own numbers, and keeps the calls and pieces that are there",
    run: withStore(async (store) => {
      const { ledger } = store;
      if (!ledger) return;
      const { scope } = await newSession(store, "a");
      await ledger.record(scope, call(["h1"]), new Map([["h1", piece("one")]]));
      const copied = [
        { number: 1, ...call(["h1", "h2"]) },
        { number: 3, ...call(["h2"]) },
      ];
      const texts = new Map([
        ["h1", piece("another text under a hash that is taken")],
        ["h2", piece("two")],
      ]);
      await ledger.restore(scope, copied, texts);
      await ledger.restore(scope, copied, texts);
      assert.deepEqual(await ledger.calls(scope, {}), [{ number: 1, ...call(["h1"]) }, copied[1]]);
      const found = await ledger.pieces(scope, ["h1", "h2"]);
      assert.equal(found.get("h1")?.text, "one");
      assert.equal(found.get("h2")?.text, "two");
      assert.equal(await ledger.record(scope, call(["h2"]), new Map()), 4);
    }),
  },
  {
    name: "keeps each session's ledger to its owner, and purges it with the session",
    run: withStore(async (store) => {
      const { ledger } = store;
      if (!ledger) return;
      const session = await newSession(store, "a");
      const other = await newSession(store, "b");
      const texts = new Map([["h1", piece("secret")]]);
      for (const { scope } of [session, other]) await ledger.record(scope, call(["h1"]), texts);
      const stranger = { owner: "mallory", sessionId: "a" };
      assert.equal(await ledger.record(stranger, call(["h1"]), texts), undefined);
      assert.deepEqual(await ledger.calls(stranger, {}), []);
      assert.deepEqual(await ledger.pieces(stranger, ["h1"]), new Map());
      assert.equal((await ledger.calls(session.scope, {})).length, 1);
      await store.purge(session.scope);
      await newSession(store, "a", { createdAt: 2_000 });
      assert.deepEqual(await ledger.calls(session.scope, {}), []);
      assert.deepEqual(await ledger.pieces(session.scope, ["h1"]), new Map());
      assert.equal((await ledger.calls(other.scope, {})).length, 1);
    }),
  },
];

/** The contract of a store that can forget; a store without `trimming` passes every case. */
const trimContract: readonly ContractCase[] = [
  {
    name: "drops the oldest journal entries and keeps the state, the later entries and their keys",
    run: withStore(async (store, harness) => {
      const { trimming } = store;
      if (!trimming) return;
      const session = await newSession(store, "a");
      const other = await newSession(store, "b");
      for (let number = 1; number <= 6; number++)
        await session.commit([record("note", `note_${number}`, null, note(`text ${number}`))], {
          key: `k-${number}`,
        });
      const before = await store.load(session.scope);
      const ages = await trimming.oldest(session.scope, 2);
      assert.deepEqual(
        ages.map(({ revision, at }) => [revision, at]),
        [
          [1, 1_001],
          [2, 1_002],
        ],
      );
      assert.equal(await trimming.dropEntries({ owner: "mallory", sessionId: "a" }, 5), 0);
      assert.equal(await trimming.dropEntries(session.scope, 5), 4);
      assert.equal(await trimming.dropEntries(session.scope, 5), 0);
      const stores = harness.durable ? [store, await harness.open()] : [store];
      for (const each of stores) {
        assert.deepEqual(await each.load(session.scope), before);
        const revisions = (await each.journal(session.scope, {})).map(({ revision }) => revision);
        assert.deepEqual(revisions, [5, 6, 7]);
        assert.equal(await each.entryByKey(session.scope, "k-3"), undefined);
        assert.equal((await each.entryByKey(session.scope, "k-4"))?.revision, 5);
        assert.equal((await each.records(session.scope, { kinds: ["note"] })).length, 6);
        assert.equal((await each.journal(other.scope, {})).length, 1);
      }
      await session.commit([record("note", "note_7", null, note("after"))], { key: "k-3" });
      assert.equal((await store.entryByKey(session.scope, "k-3"))?.revision, 8);
      assert.equal((await store.load(session.scope))?.row.revision, 8);
      for (const each of stores.slice(1)) await each.close();
    }),
  },
  {
    name: "keeps the versions that a fork reads when it drops journal entries",
    run: withStore(async (store, harness) => {
      const { trimming } = store;
      if (!trimming) return;
      const session = await newSession(store, "a");
      await session.commit([record("note", "note_1", null, note("old"))]);
      await session.commit([{ type: "forked", before: 0, after: 2 }]);
      await session.commit([record("note", "note_1", note("old"), note("new"))]);
      await trimming.dropEntries(session.scope, 4);
      const stores = harness.durable ? [store, await harness.open()] : [store];
      for (const each of stores) {
        const [then] = await each.records(session.scope, { kinds: ["note"], at: 2 });
        const [now] = await each.records(session.scope, { kinds: ["note"] });
        assert.deepEqual([then?.value, now?.value], [note("old"), note("new")]);
      }
      for (const each of stores.slice(1)) await each.close();
    }),
  },
  {
    name: "drops model calls with the pieces that no other call contains, unless one was recorded meanwhile",
    run: withStore(async (store, harness) => {
      const { trimming, ledger } = store;
      if (!trimming || !ledger) return;
      const { scope } = await newSession(store, "a");
      const add = (pieces: string[], base = 0, kept = 0) =>
        ledger.record(
          scope,
          { at: 1_000, base, kept, pieces, facts: {} },
          new Map(pieces.map((hash) => [hash, piece(`text of ${hash}`)])),
        );
      await add(["h1", "h2"]);
      await add(["h3"], 1, 1);
      await add(["h4"], 2, 2);
      const plan = {
        last: 3,
        remove: [1, 2],
        rewrite: [{ number: 3, pieces: ["h1", "h3", "h4"] }],
        unused: ["h2"],
      };
      assert.equal(await trimming.dropCalls(scope, { ...plan, last: 2 }), false);
      assert.equal((await ledger.calls(scope, {})).length, 3);
      assert.equal(await trimming.dropCalls({ owner: "mallory", sessionId: "a" }, plan), false);
      assert.equal(await trimming.dropCalls(scope, plan), true);
      const stores = harness.durable ? [store, await harness.open()] : [store];
      for (const each of stores) {
        const calls = (await each.ledger?.calls(scope, {})) ?? [];
        assert.deepEqual(
          calls.map(({ number, base, kept, pieces }) => ({ number, base, kept, pieces })),
          [{ number: 3, base: 0, kept: 0, pieces: ["h1", "h3", "h4"] }],
        );
        const texts = await each.ledger?.pieces(scope, ["h1", "h2", "h3", "h4"]);
        assert.deepEqual([...(texts ?? new Map()).keys()].sort(), ["h1", "h3", "h4"]);
      }
      assert.equal(await add(["h2"], 0, 0), 4);
      assert.equal((await ledger.pieces(scope, ["h2"])).size, 1);
      for (const each of stores.slice(1)) await each.close();
    }),
  },
];

/** The guarantees of each store. Run each case against a fresh harness. */
export const storeContract: readonly ContractCase[] = [
  {
    name: "returns exactly what was created",
    run: withStore(async (store) => {
      const row = sessionRow("a", { title: "Prüfung 🦞\r\n\ufeff\u202e", notepad: hardText });
      assert.equal(
        await store.create({
          row,
          records: [{ kind: "space", key: "plan", value: hardText }],
          entries: [birth(row)],
        }),
        true,
      );
      const loaded = await store.load(scopeOf(row));
      assert.deepEqual(loaded?.row, row);
      assert.deepEqual(loaded?.records, [{ kind: "space", key: "plan", value: hardText }]);
      assert.deepEqual(await store.journal(scopeOf(row), {}), [birth(row)]);
    }),
  },
  {
    name: "keeps an unused notepad null and an emptied one empty",
    run: withStore(async (store) => {
      const session = await newSession(store, "a");
      assert.equal((await store.load(session.scope))?.row.notepad, null);
      await session.commit([
        { type: "text", target: "notepad", at: 0, removed: "", inserted: "x", first: true },
      ]);
      await session.commit([{ type: "text", target: "notepad", at: 0, removed: "x", inserted: "" }]);
      assert.equal((await store.load(session.scope))?.row.notepad, "");
    }),
  },
  {
    name: "refuses an id that is taken and keeps what was there",
    run: withStore(async (store) => {
      const session = await newSession(store, "a", { notepad: "first" });
      assert.equal(
        await store.create({ row: sessionRow("a", { notepad: "second" }), records: [], entries: [] }),
        false,
      );
      assert.equal((await store.load(session.scope))?.row.notepad, "first");
    }),
  },
  {
    name: "hides a session from every other owner",
    run: withStore(async (store) => {
      const session = await newSession(store, "a");
      await session.commit([record("note", "note_1", null, note("secret"))], { key: "k" });
      const stranger = { owner: "mallory", sessionId: "a" };
      assert.equal(await store.load(stranger), undefined);
      assert.equal(await store.revision(stranger), undefined);
      assert.deepEqual(await store.records(stranger, { kinds: ["note"] }), []);
      assert.deepEqual(await store.journal(stranger, {}), []);
      assert.equal(await store.entryByKey(stranger, "k"), undefined);
      assert.deepEqual(await store.sessions("mallory", {}), []);
      assert.equal(await store.commit({ ...session.next([]), scope: stranger }), false);
      assert.equal(await store.purge(stranger), false);
      assert.equal((await store.load(session.scope))?.row.revision, 2);
      assert.equal((await store.records(session.scope, { kinds: ["note"] })).length, 1);
    }),
  },
  {
    name: "lets two owners use the same id, each with a session of their own",
    run: withStore(async (store) => {
      const session = await newSession(store, "a", { notepad: "first" });
      await session.commit([record("note", "note_1", null, note("one"))], { key: "k" });
      const row = sessionRow("a", { owner: "mallory", notepad: "second" });
      const scope = { owner: "mallory", sessionId: "a" };
      assert.equal(await store.create({ row, records: [], entries: [birth(row)] }), true);
      assert.equal((await store.load(scope))?.row.notepad, "second");
      assert.deepEqual(await store.records(scope, { kinds: ["note"] }), []);
      assert.equal((await store.journal(scope, {})).length, 1);
      assert.equal(await store.purge(scope), true);
      assert.equal((await store.load(session.scope))?.row.notepad, "first");
      assert.equal((await store.records(session.scope, { kinds: ["note"] })).length, 1);
      assert.equal((await store.entryByKey(session.scope, "k"))?.revision, 2);
    }),
  },
  {
    name: "commits row, records and journal together, one revision each time",
    run: withStore(async (store) => {
      const session = await newSession(store, "a");
      await session.commit([
        { type: "text", target: "notepad", at: 0, removed: "", inserted: "plan", first: true },
        { type: "record", kind: "ref", key: "000000000001", before: null, after: "src/a.ts" },
        { type: "record", kind: "note", key: "note_1", before: null, after: note("one") },
        { type: "count", counter: "notes", by: 1 },
      ]);
      const loaded = await store.load(session.scope);
      assert.equal(loaded?.row.notepad, "plan");
      assert.equal(loaded?.row.revision, 2);
      assert.equal(loaded?.row.counters.notes, 1);
      assert.deepEqual(loaded?.records, [{ kind: "ref", key: "000000000001", value: "src/a.ts" }]);
      assert.deepEqual(await store.records(session.scope, { kinds: ["note"] }), [
        { kind: "note", key: "note_1", value: note("one") },
      ]);
      assert.equal(await store.revision(session.scope), 2);
      assert.equal((await store.journal(session.scope, {})).length, 2);
    }),
  },
  {
    name: "refuses a commit on an old revision and writes nothing of it",
    run: withStore(async (store) => {
      const session = await newSession(store, "a");
      const late = session.next([
        { type: "text", target: "notepad", at: 0, removed: "", inserted: "late", first: true },
      ]);
      await session.put("note", "note_1", note("early"));
      assert.equal(await store.commit(late), false);
      const loaded = await store.load(session.scope);
      assert.equal(loaded?.row.notepad, null);
      assert.equal((await store.journal(session.scope, {})).length, 2);
    }),
  },
  {
    name: "accepts exactly one of several commits on the same revision",
    run: withStore(async (store, harness) => {
      const session = await newSession(store, "a");
      const others = harness.durable
        ? await Promise.all([harness.open(), harness.open(), harness.open()])
        : [store, store, store];
      const outcomes = await Promise.all(
        [store, ...others].map((each, index) =>
          each.commit(session.next([record("note", `note_${index}`, null, note("x"))])),
        ),
      );
      assert.equal(outcomes.filter(Boolean).length, 1);
      assert.equal((await store.records(session.scope, { kinds: ["note"] })).length, 1);
      assert.equal(await store.revision(session.scope), 2);
      if (harness.durable) await Promise.all(others.map((each) => each.close()));
    }),
  },
  {
    name: "sees a commit that another handle made right after its own",
    run: withStore(async (store, harness) => {
      const session = await newSession(store, "a");
      const other = harness.durable ? await harness.open() : store;
      const first = session.next([record("note", "note_1", null, note("own"))]);
      session.state = step(session.state, first.entry).state;
      const second = session.next([record("note", "note_2", null, note("other"))]);
      // The commits run concurrently, so the second may even arrive first and be rejected.
      await Promise.all([store.commit(first), other.commit(second), store.revision(session.scope)]);
      assert.equal(await store.revision(session.scope), (await other.load(session.scope))?.row.revision);
      if (harness.durable) await other.close();
    }),
  },
  {
    name: "overwrites and removes records",
    run: withStore(async (store) => {
      const session = await newSession(store, "a");
      await session.put("note", "note_1", note("one"));
      await session.put("note", "note_1", note("two"));
      assert.deepEqual(await store.records(session.scope, { kinds: ["note"] }), [
        { kind: "note", key: "note_1", value: note("two") },
      ]);
      await session.put("note", "note_1", null);
      assert.deepEqual(await store.records(session.scope, { kinds: ["note"] }), []);
    }),
  },
  {
    name: "selects records by kind, key and range, in order",
    run: withStore(async (store) => {
      const session = await newSession(store, "a");
      for (const key of ["000000000003", "000000000001", "000000000002"])
        await session.put("message", key, { text: key });
      await session.put("note", "note_9", note("nine"));
      for (const key of ["\u{1f980}", "\uffee", "z"]) await session.put("tag", key, { notes: 1 });
      const keys = async (selection: Parameters<Store["records"]>[1]) =>
        (await store.records(session.scope, selection)).map(({ key }) => key);
      assert.deepEqual(await keys({ kinds: ["message"] }), ["000000000001", "000000000002", "000000000003"]);
      assert.deepEqual(await keys({ kinds: ["message"], from: "000000000002" }), [
        "000000000002",
        "000000000003",
      ]);
      assert.deepEqual(await keys({ kinds: ["message"], to: "000000000001" }), ["000000000001"]);
      assert.deepEqual(await keys({ kinds: ["message"], keys: ["000000000003", "missing"] }), [
        "000000000003",
      ]);
      assert.deepEqual(await keys({ kinds: ["message", "note"], keys: ["note_9"] }), ["note_9"]);
      assert.deepEqual(await keys({ kinds: ["tag"] }), ["z", "\uffee", "\u{1f980}"]);
      assert.deepEqual(await keys({ kinds: ["task"] }), []);
      await session.commit([record("space", "plan", null, "x"), record("ref", "plan", null, "x")]);
      assert.deepEqual(await keys({ kinds: ["space", "note", "ref"] }), ["note_9", "plan", "plan"]);
      assert.deepEqual(
        (await store.load(session.scope))?.records.map(({ kind }) => kind),
        ["ref", "space"],
      );
    }),
  },
  {
    name: "shows records as they were when a fork was taken",
    run: withStore(async (store) => {
      const session = await newSession(store, "a");
      await session.put("note", "note_1", note("before"));
      await session.put("note", "note_2", note("doomed"));
      await session.commit([{ type: "forked", before: 0, after: 4 }]);
      await session.put("note", "note_1", note("after"));
      await session.put("note", "note_1", note("after again"));
      await session.put("note", "note_2", null);
      await session.put("note", "note_3", note("new"));
      const then = await store.records(session.scope, { kinds: ["note"], at: 4 });
      assert.deepEqual(
        then.map(({ key, value }) => [key, (value as { content: string }).content]),
        [
          ["note_1", "before"],
          ["note_2", "doomed"],
        ],
      );
      const now = await store.records(session.scope, { kinds: ["note"] });
      assert.deepEqual(
        now.map(({ key, value }) => [key, (value as { content: string }).content]),
        [
          ["note_1", "after again"],
          ["note_3", "new"],
        ],
      );
    }),
  },
  {
    name: "copies a session with the versions that only its forks read",
    run: withStore(async (store) => {
      const session = await newSession(store, "a");
      await session.put("note", "note_1", note("before"));
      await session.commit([{ type: "forked", before: 0, after: 2 }]);
      await session.put("note", "note_1", note("after"));
      const versions = await store.versions(session.scope);
      assert.deepEqual(versions, [
        { kind: "note", key: "note_1", from: 2, to: 4, value: note("before") },
        { kind: "note", key: "note_1", from: 4, to: openEnd, value: note("after") },
      ]);
      const row = { ...session.state.row, id: "b" };
      await store.create({ row, records: [], versions, entries: await store.journal(session.scope, {}) });
      const valueAt = async (at?: number) =>
        (await store.records(scopeOf(row), { kinds: ["note"], ...(at === undefined ? {} : { at }) }))[0]
          ?.value;
      assert.deepEqual([await valueAt(2), await valueAt()], [note("before"), note("after")]);
      assert.deepEqual(await store.versions(scopeOf(row)), versions);
      assert.equal((await store.journal(scopeOf(row), {})).length, 4);
    }),
  },
  {
    name: "remembers in a fork that an inherited record is gone",
    run: withStore(async (store) => {
      const session = await newSession(store, "child", { lineage: [{ sessionId: "parent", revision: 3 }] });
      await session.put("note", "note_1", null);
      assert.deepEqual(await store.records(session.scope, { kinds: ["note"] }), [
        { kind: "note", key: "note_1", value: null },
      ]);
    }),
  },
  {
    name: "reads the journal by range, from either end",
    run: withStore(async (store) => {
      const session = await newSession(store, "a");
      for (let count = 0; count < 5; count++) await session.commit([]);
      const revisions = async (selection: Parameters<Store["journal"]>[1]) =>
        (await store.journal(session.scope, selection)).map(({ revision }) => revision);
      assert.deepEqual(await revisions({}), [1, 2, 3, 4, 5, 6]);
      assert.deepEqual(await revisions({ newestFirst: true, limit: 2 }), [6, 5]);
      assert.deepEqual(await revisions({ from: 2, to: 4 }), [2, 3, 4]);
      assert.deepEqual(await revisions({ from: 3, limit: 1 }), [3]);
    }),
  },
  {
    name: "finds an entry by its idempotency key, in its own session only",
    run: withStore(async (store) => {
      const session = await newSession(store, "a");
      const other = await newSession(store, "b");
      await session.commit([], { key: "k-1", result: { result: { ok: true }, warnings: [] } });
      assert.deepEqual((await store.entryByKey(session.scope, "k-1"))?.result, {
        result: { ok: true },
        warnings: [],
      });
      assert.equal(await store.entryByKey(session.scope, "k-2"), undefined);
      assert.equal(await store.entryByKey(other.scope, "k-1"), undefined);
    }),
  },
  {
    name: "lists an owner's sessions, newest first, by agent, status and parent",
    run: withStore(async (store) => {
      await newSession(store, "a", { agent: "auditor", updatedAt: 100 });
      await newSession(store, "b", { agent: "writer", updatedAt: 300, parent: "a" });
      await newSession(store, "c", { agent: "auditor", updatedAt: 200, status: "archived" });
      const ids = async (selection: Parameters<Store["sessions"]>[1]) =>
        (await store.sessions("owner", selection)).map(({ id }) => id);
      assert.deepEqual(await ids({}), ["b", "c", "a"]);
      assert.deepEqual(await ids({ agent: "auditor" }), ["c", "a"]);
      assert.deepEqual(await ids({ statuses: ["active"] }), ["b", "a"]);
      assert.deepEqual(await ids({ parent: "a" }), ["b"]);
      await newSession(store, "d", { updatedAt: 200 });
      assert.deepEqual(await ids({ limit: 2 }), ["b", "c"]);
      assert.deepEqual(await ids({ limit: 2, after: { updatedAt: 200, id: "c" } }), ["d", "a"]);
      assert.deepEqual(await ids({ after: { updatedAt: 100, id: "a" } }), []);
    }),
  },
  {
    name: "purges a session and nothing else",
    run: withStore(async (store) => {
      const session = await newSession(store, "a");
      const other = await newSession(store, "b");
      await session.put("note", "note_1", note("gone"));
      await other.put("note", "note_1", note("stays"));
      assert.equal(await store.purge(session.scope), true);
      assert.equal(await store.load(session.scope), undefined);
      assert.equal(await store.revision(session.scope), undefined);
      assert.deepEqual(await store.records(session.scope, { kinds: ["note"] }), []);
      assert.deepEqual(await store.journal(session.scope, {}), []);
      assert.equal((await store.records(other.scope, { kinds: ["note"] })).length, 1);
      assert.equal(await store.purge(session.scope), false);
    }),
  },
  {
    name: "keeps nothing of a purged session when its id is used again",
    run: withStore(async (store, harness) => {
      const other = harness.durable ? await harness.open() : store;
      const watcher = await watchChanges(other, harness.watchTimeout);
      const session = await newSession(store, "a");
      await session.commit([record("note", "note_1", null, note("old"))], { key: "k" });
      await watcher.until("a", 2);
      assert.equal((await other.records(session.scope, { kinds: ["note"] })).length, 1);
      await store.purge(session.scope);
      const again = await newSession(store, "a", { title: "again ".repeat(1_000), createdAt: 2_000 });
      await watcher.until("a", 1);
      for (const each of [store, other]) {
        assert.deepEqual((await each.load(again.scope))?.row, again.state.row);
        assert.deepEqual(await each.records(again.scope, { kinds: ["note"] }), []);
        assert.equal((await each.journal(again.scope, {})).length, 1);
        assert.equal(await each.entryByKey(again.scope, "k"), undefined);
      }
      // A stale handle on the old session cannot commit to the new one, even at the same revision.
      await again.put("note", "note_9", note("new"));
      assert.equal(await store.commit(session.next([])), false);
      watcher.stop();
      if (harness.durable) await other.close();
    }),
  },
  {
    name: "notifies a watcher of every commit, by this handle and by others, until it stops",
    run: withStore(async (store, harness) => {
      const session = await newSession(store, "a");
      const watcher = await watchChanges(store, harness.watchTimeout);
      await session.put("note", "note_1", note("own"));
      await watcher.until("a", 2);
      const other = harness.durable ? await harness.open() : store;
      assert.equal(await other.commit(session.next([record("note", "note_2", null, note("other"))])), true);
      await watcher.until("a", 3);
      assert.deepEqual(watcher.changes.at(-1), { owner: "owner", sessionId: "a", revision: 3 });
      watcher.stop();
      const second = await watchChanges(store, harness.watchTimeout);
      await newSession(other, "b");
      await second.until("b", 1);
      assert.equal(watcher.changes.at(-1)?.sessionId, "a");
      second.stop();
      if (harness.durable) await other.close();
    }),
  },
  {
    name: "keeps everything across a restart",
    run: async (harness) => {
      if (!harness.durable) return;
      const first = await harness.open();
      const session = await newSession(first, "a");
      await session.put("note", "note_1", note(hardText));
      await session.commit(
        [{ type: "text", target: "space/plan", at: 0, removed: "", inserted: hardText, first: true }],
        { key: "k" },
      );
      await first.close();
      const second = await harness.open();
      assert.deepEqual((await second.load(session.scope))?.row, session.state.row);
      assert.deepEqual((await second.load(session.scope))?.records, [
        { kind: "space", key: "plan", value: hardText },
      ]);
      assert.deepEqual(await second.records(session.scope, { kinds: ["note"] }), [
        { kind: "note", key: "note_1", value: note(hardText) },
      ]);
      assert.equal((await second.journal(session.scope, {})).length, 3);
      assert.equal((await second.entryByKey(session.scope, "k"))?.revision, 3);
      assert.equal(await second.commit(session.next([])), true);
      await second.close();
    },
  },
  ...ledgerContract,
  ...trimContract,
];
