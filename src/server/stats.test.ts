import assert from "node:assert/strict";
import { test } from "node:test";
import { call, startTestServer } from "../../test/support/server.ts";
import { planCheckpoint } from "../compaction/checkpoint.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import type { Receipt } from "../engine/records.ts";
import { commitReceipt } from "../sessions/commit-receipt.ts";

const receipt: Receipt = {
  epoch: 1,
  trigger: "host",
  from: 1,
  to: 4,
  summaryBy: "unknown",
  warning: "none",
  tokensBefore: 1_000,
  tokensAfter: 100,
  counts: { kept: 5, recallable: 3, missing: 1 },
  kept: [],
  recallable: [],
  missing: [],
  putBack: [{ kind: "path", text: "/shop/src/tax.ts" }],
  skipped: "",
  needs: [],
  line: "",
};

test("counts the sessions, writes and compactions of the last days [people.stats]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const session = await memory.createSession({ id: "a" });
  await session.notepad.write("- the rate is in tax.ts", { actor: { kind: "agent" } });
  await session.notepad.append("- and nowhere else", { actor: { kind: "person" } });
  const state = await session.state();
  const checkpoint = planCheckpoint({ state, messages: [], to: 0, countTokens: estimateTokens });
  await session.apply({ type: "context.checkpoint", checkpoint });
  await commitReceipt(session, receipt);
  const { since: _since, ...stats } = await call(server, "stats", { query: { days: 7 } });
  assert.deepEqual(stats, {
    sessions: 1,
    writes: { agent: 1, person: 1 },
    compactions: 1,
    items: { kept: 5, recallable: 3, missing: 1, putBack: 1 },
  });
});
