import assert from "node:assert/strict";
import { test } from "node:test";
import { runAudit } from "../src/cli/demo-audit.ts";
import { call, refused, startTestServer } from "./support/server.ts";

test("the journal is read newest first, with who wrote each change and its lines [serve.journal]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const session = await memory.createSession({ id: "a" });
  await session.notepad.write(Array.from({ length: 50 }, (_, line) => `line ${line}`).join("\n"));
  await session.notepad.replace("line 25", "LINE 25", { actor: { kind: "person", name: "Kim" } });
  await session.apply({
    type: "messages.add",
    messages: [{ message: { role: "user", content: "hello" }, at: 1 }],
  });
  const { note } = (await session.notes.add("first", ["t"])).result;
  await session.notes.update(note.id, { content: "second" });
  await session.undo(undefined, { actor: { kind: "person" } });

  const params = { id: "a" };
  const page = await call(server, "journal", { params, query: { limit: 4 } });
  assert.deepEqual(
    page.entries.map(({ revision, type, isMemory, undoes, undoneBy }) => [
      revision,
      type,
      isMemory,
      undoes,
      undoneBy,
    ]),
    [
      [7, "undo", true, 6, null],
      [6, "notes.update", true, null, 7],
      [5, "notes.add", true, null, null],
      [4, "messages.add", false, null, null],
    ],
  );
  assert.deepEqual(page.entries[1]?.changes[0]?.lines, [
    { kind: "removed", text: "first" },
    { kind: "added", text: "second" },
    { kind: "same", text: "tags: t" },
  ]);
  const rest = await call(server, "journal", { params, query: { limit: 4, before: page.before ?? 0 } });
  assert.deepEqual(
    rest.entries.map(({ revision }) => revision),
    [3, 2, 1],
  );
  assert.equal(rest.before, null);
  const [edit] = rest.entries;
  assert.deepEqual(edit?.actor, { kind: "person", name: "Kim" });
  assert.deepEqual(edit?.changes[0]?.lines, [
    { kind: "gap", text: "23" },
    { kind: "same", text: "line 23" },
    { kind: "same", text: "line 24" },
    { kind: "removed", text: "line 25" },
    { kind: "added", text: "LINE 25" },
    { kind: "same", text: "line 26" },
    { kind: "same", text: "line 27" },
    { kind: "gap", text: "22" },
  ]);
  const memoryOnly = await call(server, "journal", { params, query: { only: "memory" } });
  assert.deepEqual(
    memoryOnly.entries.map(({ revision }) => revision),
    [7, 6, 5, 3, 2],
  );
  const { entry } = await call(server, "entry", { params: { id: "a", revision: 2 } });
  assert.equal(entry.changes[0]?.lines.length, 50);
  await refused(server, "entry", { params: { id: "a", revision: 99 } }, 404);
});

test("the memory of any revision can be seen, and a revision undone from there [serve.past]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const session = await memory.createSession({ id: "a" });
  await session.notepad.write("one");
  await session.scratchpad.setPlan("the plan");
  for (let number = 0; number < 5; number++) await session.notes.add(`note ${number}`);
  await session.notepad.append("two");
  const newest = (await session.state()).row.revision;
  const fork = await memory.forkSession("a", { id: "b" });
  await fork.notepad.append("three");
  for (const id of ["a", "b"]) {
    const last = id === "a" ? newest : newest + 3;
    // Forwards and backwards, so that kept moments are walked from in both directions.
    for (const revision of [...Array(last).keys(), ...[...Array(last).keys()].reverse()].map(
      (each) => each + 1,
    )) {
      const shown = await call(server, "memoryAt", { params: { id, revision }, query: { limit: 2 } });
      const real = await (id === "a" ? session : fork).at(revision);
      assert.deepEqual(
        [shown.notepad, shown.scratchpad, shown.notes, shown.totalNotes],
        [real.notepad ?? "", real.scratchpad, real.notes.slice(0, 2), real.notes.length],
        `${id} at ${revision}`,
      );
    }
  }
  const undone = await call(server, "undo", { params: { id: "a" }, body: { revision: 2 } });
  assert.equal(await session.notepad.read(), "\ntwo");
  const [entry] = await session.history({ limit: 1 });
  assert.deepEqual([entry?.revision, entry?.actor.kind], [undone.revision, "person"]);
  await refused(server, "undo", { params: { id: "a" }, body: { revision: 2 } }, 409);
  await refused(server, "memoryAt", { params: { id: "a", revision: 99 } }, 404);
});

test("a compaction is shown with its trigger, warning turn, checkpoint, removed messages, summary and receipt [serve.compactions]", async (context) => {
  const { server, memory } = await startTestServer(context);
  await runAudit(memory, { session: { id: "a" } });
  const session = await memory.resumeSession("a");
  const params = { id: "a" };
  const { compactions, before } = await call(server, "compactions", { params });
  const receipts = await session.receipts();
  assert.ok(receipts.length >= 3);
  assert.deepEqual(
    compactions.map(({ epoch }) => epoch),
    receipts.map(({ epoch }) => epoch).reverse(),
  );
  assert.equal(before, null);
  const oneByOne = [];
  for (let at: number | null | undefined; at !== null; ) {
    const query: { limit: number; before?: number } = {
      limit: 1,
      ...(at === undefined ? {} : { before: at }),
    };
    const page = await call(server, "compactions", { params, query });
    oneByOne.push(...page.compactions);
    at = page.before;
  }
  assert.deepEqual(oneByOne, compactions);

  for (const receipt of receipts) {
    const shown = await call(server, "compaction", { params: { id: "a", epoch: receipt.epoch } });
    const { kept, recallable, missing, putBack } = receipt;
    assert.deepEqual(shown.receipt, { kept, recallable, missing, putBack });
    assert.deepEqual([shown.trigger, shown.warning], ["threshold", "given"]);
    assert.equal(shown.checkpoint?.epoch, receipt.epoch);
    assert.match(shown.checkpoint?.text ?? "", /./);
    assert.match(shown.summary, /^\[Summary of the conversation so far\]\n.*\[Receipt: messages/s);
    const turn = shown.warningTurn?.messages ?? [];
    assert.ok(turn.length >= 1 && turn.every(({ aside }) => aside), "what the agent said to the warning");
    assert.ok(turn.every(({ number }) => number <= receipt.to || number > receipt.to));
    const removed = await call(server, "messages", {
      params,
      query: { after: receipt.from - 1, limit: receipt.to - receipt.from + 1 },
    });
    assert.deepEqual(
      [removed.messages[0]?.number, removed.messages.at(-1)?.number],
      [receipt.from, receipt.to],
    );
    assert.ok(removed.messages.every(({ inContext }) => inContext === "summarised"));
  }
  await refused(server, "compaction", { params: { id: "a", epoch: 99 } }, 404);

  const newest = await call(server, "messages", { params, query: { limit: 5 } });
  assert.equal(newest.messages.length, 5);
  assert.equal(newest.messages.at(-1)?.number, newest.last);
  const older = await call(server, "messages", { params, query: { limit: 5, before: newest.before ?? 0 } });
  assert.equal(older.messages.at(-1)?.number, newest.first - 1);
  const [call1] = (await call(server, "message", { params: { id: "a", number: 2 } })).parts;
  assert.equal(call1?.type, "tool-call");
  assert.deepEqual((await call(server, "calls", { params })).calls, []);
});
