import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestSession, rejection } from "../../test/support/memory.ts";
import type { Session } from "../sessions/session.ts";
import { readTasks } from "../surfaces/tasks/operations.ts";
import { type ConversationOperation, readEpoch, readShownChanges, readSpans } from "./conversation.ts";
import type { Handoff, Receipt } from "./records.ts";

const handoff: Handoff = {
  epoch: 1,
  text: "[Handoff]",
  said: [],
  leftOut: 0,
  shown: { whole: 0, cut: 0, leftOut: 0 },
  plan: [],
  tasks: [],
  done: [],
  finished: [],
  lastWords: "",
};

const removed = { from: 1, to: 4, messages: 4, tokens: 2, transcript: "", transcriptSize: 0 };

function receipt(epoch: number, from: number, to: number): Receipt {
  return {
    epoch,
    trigger: "manual",
    from,
    to,
    messages: to - from + 1,
    summaryBy: "model",
    warning: "none",
    skipped: "",
    wrote: false,
    tokensBefore: 2,
    tokensAfter: 1,
    user: { whole: 0, cut: 0, leftOut: 0 },
    notepad: { lines: 0, shown: 0 },
    rest: "retrievable",
    readWith: "recall",
    line: "[Receipt]",
  };
}

function compaction(epoch: number, from: number, to: number): ConversationOperation {
  return {
    type: "context.compact",
    to,
    summary: "S",
    blocks: [],
    notice: "[here]",
    receipt: receipt(epoch, from, to),
  };
}

async function talk(messages: number): Promise<Session> {
  const session = await openTestSession();
  await session.apply({ type: "context.open", blocks: [] });
  await session.apply({
    type: "messages.add",
    messages: Array.from({ length: messages }, (_, index) => `message ${index + 1}`),
  });
  return session;
}

test("a compaction needs a handoff of the current epoch [controller.no-compaction-without-handoff]", async () => {
  const session = await talk(6);
  const { message } = await rejection(session.apply(compaction(1, 1, 4)), "conflict");
  assert.match(
    message,
    /Epoch 1 has no handoff yet, so nothing can be removed from the context\. Write the handoff first\./,
  );
  assert.deepEqual(readSpans(await session.state()), []);
  await session.apply({ type: "context.handoff", handoff, removed });
  await session.apply(compaction(1, 1, 4));
  assert.equal(readEpoch(await session.state()).number, 2);
  await rejection(session.apply(compaction(2, 5, 6)), "conflict");
  assert.deepEqual(
    (await session.receipts()).map(({ from, to }) => [from, to]),
    [[1, 4]],
  );
});

test("the receipt covers exactly the removed messages; a stale plan is rejected [controller.no-compaction-without-handoff]", async () => {
  const session = await talk(6);
  await session.apply({ type: "context.handoff", handoff, removed });
  for (const stale of [
    compaction(2, 1, 4),
    compaction(1, 2, 4),
    compaction(1, 1, 0),
    compaction(1, 1, 7),
    { ...compaction(1, 1, 4), to: 5 } as ConversationOperation,
  ]) {
    const { message } = await rejection(session.apply(stale), "conflict");
    assert.match(message, /Nothing was removed\. Plan the compaction again\./);
  }
  await session.apply(compaction(1, 1, 4));
  await session.apply({ type: "context.handoff", handoff: { ...handoff, epoch: 2 }, removed });
  await rejection(session.apply(compaction(2, 1, 4)), "conflict");
  await session.apply(compaction(2, 5, 6));
});

test("a compaction opens an epoch: new snapshot, no shown changes, no warning, a marker after the kept messages [controller.new-epoch]", async () => {
  const session = await talk(6);
  await session.notepad.write("whole");
  await session.apply({
    type: "context.show",
    before: 3,
    blocks: [{ surface: "notepad", text: "change" }],
    shownAt: 3,
  });
  await session.apply({ type: "context.warn", trigger: "manual", before: 7, text: "warning" });
  await session.apply({ type: "context.handoff", handoff, removed });
  await session.apply(compaction(1, 1, 4));
  const state = await session.state();
  assert.deepEqual(readShownChanges(state), [{ before: 7, surface: "", text: "[here]" }]);
  assert.equal(readEpoch(state).warning, "none");
  assert.deepEqual(state.resident.get("epoch/snapshot"), { blocks: [] });
  assert.deepEqual(
    await session.messages(),
    Array.from({ length: 6 }, (_, index) => `message ${index + 1}`),
    "every message can still be read",
  );
  await session.apply({ type: "context.handoff", handoff: { ...handoff, epoch: 2 }, removed });
  await session.apply(compaction(2, 5, 6));
  assert.deepEqual(readShownChanges(await session.state()), [], "no message is kept, so no marker is needed");
});

test("tasks nest four deep, the innermost ends first, and its parent's line replaces its own [controller.tasks]", async () => {
  const session = await talk(0);
  const addMessage = () => session.apply({ type: "messages.add", messages: ["m"] });
  for (const description of ["a", "b", "c", "d"]) {
    await addMessage();
    await session.apply({ type: "tasks.begin", description });
  }
  const { message } = await rejection(session.apply({ type: "tasks.begin", description: "e" }), "over_limit");
  assert.match(
    message,
    /nested 4 deep, and 4 are open\. Call end_task or cancel_task first\. The innermost is: d/,
  );
  await addMessage();
  const { result } = await session.apply({ type: "tasks.end", summary: "fine" });
  assert.deepEqual(result, { task: "task_4", depth: 4 });
  await addMessage();
  await session.apply({ type: "tasks.cancel", reason: "dead end" });
  assert.deepEqual(
    readSpans(await session.state()).map(([, { from, to, text }]) => [from, to, text]),
    [[3, 6, "[Cancelled: c — dead end]"]],
  );
  assert.deepEqual(
    readTasks(await session.state()).map(([, { description }]) => description),
    ["a", "b"],
  );
  await session.apply({ type: "tasks.end", summary: "fine" });
  await session.apply({ type: "tasks.end", summary: "fine" });
  await rejection(session.apply({ type: "tasks.end", summary: "?" }), "not_found");
});

test("a host that compacts itself needs a handoff too, and ends an epoch once [hooks.host-compaction]", async () => {
  const session = await openTestSession();
  await session.notepad.write("kept");
  const operation = { type: "context.receipt" as const, blocks: [], receipt: receipt(1, 1, 9) };
  await rejection(session.apply(operation), "conflict");
  assert.equal(readEpoch(await session.state()).number, 1);
  await session.apply({ type: "context.handoff", handoff, removed });
  assert.equal((await session.apply(operation)).result.epoch, 2);
  await rejection(session.apply(operation), "conflict");
  assert.equal((await session.receipts()).length, 1);
  const { message } = await rejection(session.apply({ ...operation, receipt: receipt(3, 1, 9) }), "conflict");
  assert.match(message, /for epoch 3, but the session is in epoch 2/);
  assert.equal(await session.notepad.read(), "kept");
});
