import assert from "node:assert/strict";
import type { LedgerPiece } from "../stores/ledger.ts";
import { type ContractCase, withStore } from "./contract-case.ts";
import { hardText, newSession } from "./contract-session.ts";

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
export const ledgerContract: readonly ContractCase[] = [
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
