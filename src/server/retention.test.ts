import assert from "node:assert/strict";
import { test } from "node:test";
import { call, refused, startTestServer } from "../../test/support/server.ts";
import { runAudit } from "../cli/demo/audit.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import { planCallTrim } from "../stores/trim.ts";

test("the history, a compaction and a model call show that retention removed a part; receipts stay [retention.ends] [retention.ledger]", async (context) => {
  const { server, memory, path } = await startTestServer(context);
  await runAudit(memory, { session: { id: "a" } });
  const params = { id: "a" };
  const { newest } = await call(server, "history", { params, query: { limit: 1 } });
  const whole = await call(server, "compaction", { params: { id: "a", epoch: 1 } });
  const store = await sqliteStore({ path });
  const scope = { owner: "local", sessionId: "a" };
  await store.trimming?.dropEntries(scope, newest - 3);
  const calls = (await store.ledger?.calls(scope, {})) ?? [];
  const plan = planCallTrim(calls, Number.MAX_SAFE_INTEGER, { ledgerCalls: 1, ledgerDays: 1 });
  assert.ok(plan && (await store.trimming?.dropCalls(scope, plan)));
  await store.close();

  const page = await call(server, "history", { params, query: { limit: 100, all: "yes" } });
  assert.deepEqual(
    page.entries.map(({ revision }) => revision),
    [newest, newest - 1, newest - 2, newest - 3],
  );
  assert.equal(page.begins?.revision, newest - 3);
  assert.equal(page.before, null);
  const older = await call(server, "history", { params, query: { before: 5, limit: 10 } });
  assert.deepEqual(older.entries, []);
  const begins = new RegExp(`The history of session a begins at revision ${newest - 3} \\(`);
  const past = await refused(server, "session", { params, query: { revision: 3 } }, 410);
  assert.match(past.error.message, begins);
  assert.match(
    (await refused(server, "history", { params, query: { before: 4, full: "yes" } }, 410)).error.message,
    begins,
  );

  const left = await call(server, "compaction", { params: { id: "a", epoch: 1 } });
  assert.deepEqual([left.line, left.user], [whole.line, whole.user]);
  assert.deepEqual([left.revision, left.at, left.handoff.source], [null, null, "record"]);
  assert.ok(whole.handoff.text.includes(left.handoff.text));

  const proof = left.verified?.call ?? 0;
  const proved = await call(server, "call", { params: { id: "a", number: proof }, query: {} });
  assert.ok(proved.pieces.length > 0 && !proved.isBare, "the request that proves the receipt is whole");
  const summary = await call(server, "calls", { params });
  const bare = summary.calls.find(({ purpose }) => purpose === "summary");
  assert.ok(bare);
  assert.ok((await call(server, "call", { params: { id: "a", number: bare.number }, query: {} })).isBare);
  const gone = await refused(server, "call", { params: { id: "a", number: 1 } }, 410);
  assert.match(gone.error.message, /The prompt of model call 1 is no longer recorded: retention keeps/);
});
