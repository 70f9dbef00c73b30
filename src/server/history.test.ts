import assert from "node:assert/strict";
import { test } from "node:test";
import { call, refused, startTestServer } from "../../test/support/server.ts";
import { runAudit } from "../cli/demo/audit.ts";

test("returns the journal newest first, with the author and lines of each change [serve.journal]", async (context) => {
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

test("shows the memory at any revision, and undoes a revision [serve.past]", async (context) => {
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
    // Forwards and backwards, to walk from cached snapshots in both directions.
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

test("shows a compaction's trigger, warning turn, handoff, removed messages, summary and receipt [serve.compactions]", async (context) => {
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
    const { user, notepad, rest, readWith, line } = receipt;
    assert.deepEqual(
      [shown.user, shown.notepad, shown.rest, shown.readWith, shown.line],
      [user, notepad, rest, readWith, line],
    );
    assert.deepEqual([shown.trigger, shown.warning, shown.rest], ["threshold", "given", "retrievable"]);
    assert.match(shown.handoff?.text ?? "", /^\[Handoff: .*\[End of handoff\]$/s);
    assert.match(shown.summary, /^\[Summary of the conversation so far\]\n.*\[Receipt: \d+ messages/s);
    const turn = shown.warningTurn?.messages ?? [];
    assert.ok(turn.length >= 1 && turn.every(({ aside }) => aside), "the agent's reply to the warning");
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
});

test("shows each model call with its parts, exact pieces, changes and cost [serve.calls]", async (context) => {
  const priceOf = () => ({ input: 2, cacheRead: 0.2, cacheWrite: 2.5, output: 10, basis: "a test" });
  const { server, memory } = await startTestServer(context, { priceOf });
  await runAudit(memory, { session: { id: "a" } });
  const params = { id: "a" };
  const { calls, total, before } = await call(server, "calls", { params });
  assert.ok(calls.length > 15 && total === calls.length && before === null);
  assert.deepEqual(
    calls.map(({ number }) => number),
    calls.map((_, index) => index + 1),
  );
  assert.deepEqual(new Set(calls.map(({ purpose }) => purpose)), new Set(["turn", "warning", "summary"]));
  const last = await call(server, "calls", { params, query: { limit: 3 } });
  assert.deepEqual([last.calls, last.before], [calls.slice(-3), total - 2]);
  const older = await call(server, "calls", { params, query: { limit: 3, before: last.before ?? 0 } });
  assert.deepEqual(older.calls, calls.slice(-6, -3));

  for (const { number, parts, usage, money, contextWindow } of calls) {
    const { free, ...used } = parts;
    const sum = Object.values(used).reduce((all, each) => all + each, 0);
    assert.ok(
      Math.abs(sum + free - contextWindow) < 2 || sum > contextWindow,
      `${number}: ${JSON.stringify(parts)}`,
    );
    const shares = Object.values(money?.parts ?? {}).reduce((all, each) => all + each, 0);
    assert.ok(Math.abs((money?.total ?? 0) - shares - (money?.output ?? 0)) < 1e-12);
    assert.ok(
      Math.abs(shares - ((usage.input ?? 0) * 2) / 1e6) < 1e-9,
      "nothing was cached, so everything costs the full price",
    );
  }
  const second = await call(server, "call", { params: { id: "a", number: 2 } });
  assert.equal(second.previous, 1);
  assert.equal(second.against, 1);
  assert.ok(second.prefix.pieces > 0);
  assert.ok(second.pieces.every(({ cached }, index) => cached === index < second.prefix.pieces));
  assert.ok(second.pieces.some(({ change, text }) => change === "added" && text.includes("read_sheet")));
  const [piece] = second.pieces;
  assert.deepEqual(await call(server, "piece", { params: { id: "a", hash: piece?.hash ?? "" } }), {
    hash: piece?.hash,
    text: piece?.text,
  });
  const cut = calls.find(({ epoch }) => epoch === 2)?.number ?? 0;
  const after = await call(server, "call", { params: { id: "a", number: cut } });
  assert.ok(after.removed.length > 0, "a compaction removes pieces");
  await refused(server, "call", { params: { id: "a", number: 999 } }, 404);
  await refused(server, "piece", { params: { id: "a", hash: "0".repeat(32) } }, 404);
});
