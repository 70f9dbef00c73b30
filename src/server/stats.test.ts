import assert from "node:assert/strict";
import { test } from "node:test";
import { call, startTestServer } from "../../test/support/server.ts";
import { emptyHandoff } from "../compaction/handoff.ts";
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
  messages: 4,
  user: { whole: 1, cut: 0, leftOut: 0 },
  notepad: { lines: 2, shown: 2 },
  rest: "retrievable",
  readWith: "recall",
  skipped: "",
  wrote: false,
  line: "",
};

test("counts the sessions, writes and compactions of the last days [people.stats]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const session = await memory.createSession({ id: "a" });
  await session.notepad.write("- the rate is in tax.ts", { actor: { kind: "agent" } });
  await session.notepad.append("- and nowhere else", { actor: { kind: "person" } });
  const removed = { from: 1, to: 4, messages: 4, tokens: 900, transcript: "", transcriptSize: 0 };
  await session.apply({ type: "context.handoff", handoff: emptyHandoff(1), removed });
  await commitReceipt(session, receipt);
  const { since: _since, ...stats } = await call(server, "stats", { query: { days: 7 } });
  assert.deepEqual(stats, {
    sessions: 1,
    writes: { agent: 1, person: 1 },
    compactions: 1,
    messages: { retrievable: 4, lost: 0 },
  });
});
