import assert from "node:assert/strict";
import type { LedgerPiece } from "../stores/ledger.ts";
import { type ContractCase, withStore } from "./contract-case.ts";
import { newSession, note, record } from "./contract-session.ts";

const piece = (text: string): LedgerPiece => ({ part: "history", role: "user", tokens: 3, text });

/** The contract of a store that can forget; a store without `trimming` passes every case. */
export const trimContract: readonly ContractCase[] = [
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
