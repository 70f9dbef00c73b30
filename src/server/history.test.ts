import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { call, refused, startTestServer } from "../../test/support/server.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { runAudit } from "../cli/demo/audit.ts";
import { Compaction } from "../compaction/compaction.ts";
import { openMemory } from "../index.ts";
import { commitReceipt } from "../sessions/commit-receipt.ts";
import { noHosts } from "./hosts.ts";

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
  const page = await call(server, "history", { params, query: { limit: 4, all: "yes" } });
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
  const rest = await call(server, "history", {
    params,
    query: { limit: 4, all: "yes", before: page.before ?? 0 },
  });
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
  const memoryOnly = await call(server, "history", { params });
  assert.deepEqual(
    memoryOnly.entries.map(({ revision }) => revision),
    [7, 6, 5, 3, 2],
  );
  const { entries } = await call(server, "history", { params, query: { before: 3, full: "yes" } });
  assert.deepEqual([entries.length, entries[0]?.changes[0]?.lines.length], [1, 50]);
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
      const params = { id };
      const shown = await call(server, "session", { params, query: { revision } });
      const { notes, total } = await call(server, "notes", { params, query: { revision, limit: 2 } });
      const real = await (id === "a" ? session : fork).at(revision);
      assert.deepEqual(
        [shown.notepad.text, shown.plan.text, shown.noteCount, notes, total],
        [real.notepad ?? "", real.scratchpad.plan, total, real.notes.slice(0, 2), real.notes.length],
        `${id} at ${revision}`,
      );
    }
  }
  const params = { id: "a" };
  const undone = await call(server, "edit", { params, body: { type: "undo", revision: 2 } });
  assert.equal(await session.notepad.read(), "\ntwo");
  const [entry] = await session.history({ limit: 1 });
  assert.deepEqual([entry?.revision, entry?.actor.kind], [undone.revision, "person"]);
  await refused(server, "edit", { params, body: { type: "undo", revision: 2 } }, 409);
  await refused(server, "session", { params, query: { revision: 99 } }, 404);
});

test("a compaction has its facts, its warning, and the handoff and summary as the model got them [serve.compactions]", async (context) => {
  const { server, memory } = await startTestServer(context);
  await runAudit(memory, { session: { id: "a" } });
  const session = await memory.resumeSession("a");
  const params = { id: "a" };
  const receipts = await session.receipts();
  assert.ok(receipts.length >= 3);
  const { entries } = await call(server, "history", { params, query: { limit: 200 } });
  const inHistory = entries.flatMap(({ compaction }) => (compaction ? [compaction] : []));
  assert.deepEqual(
    inHistory.map(({ epoch }) => epoch),
    receipts.map(({ epoch }) => epoch).reverse(),
  );
  assert.equal(entries.filter(({ type }) => type === "context.warn").length, receipts.length);
  const { session: item } = await call(server, "session", { params });
  assert.deepEqual([item.last, item.compactions], [inHistory[0], receipts.length]);

  const { calls } = await call(server, "calls", { params });
  for (const receipt of receipts) {
    const { epoch } = receipt;
    const shown = await call(server, "compaction", { params: { id: "a", epoch } });
    const { user, notepad, rest, readWith, line, trigger } = receipt;
    assert.deepEqual(
      [shown.user, shown.notepad, shown.rest, shown.readWith, shown.line, shown.trigger],
      [user, notepad, rest, readWith, line, trigger],
    );
    assert.deepEqual([shown.warning, shown.rest], ["given", "retrievable"]);
    // Byte for byte: the request after it has the same text.
    const proof = await session.calls.read(shown.verified?.call ?? 0);
    assert.ok(
      proof?.pieces.some(({ text }) => text.includes(JSON.stringify(shown.handoff.text).slice(1, -1))),
    );
    assert.equal(shown.handoff.source, "prompt");
    assert.ok(shown.handoff.text.includes(shown.summary) && shown.handoff.text.endsWith(line));
    const turn = shown.warningTurn?.messages ?? [];
    assert.ok(
      turn.length >= 1 && turn.every(({ inWarning }) => inWarning),
      "the agent's reply to the warning",
    );
    // One number for one thing: the sizes are those of the calls.
    const bars = calls.filter(({ purpose }) => purpose !== "summary");
    assert.equal(shown.tokensBefore, bars.findLast((each) => each.epoch === epoch)?.tokens);
    assert.equal(shown.tokensAfter, bars.find((each) => each.epoch > epoch)?.tokens);
    const removed = await call(server, "messages", { params, query: { epoch, limit: 500 } });
    assert.deepEqual(
      [removed.messages[0]?.number, removed.messages.at(-1)?.number, removed.total],
      [receipt.from, receipt.to, receipt.messages],
    );
    assert.ok(removed.messages.every(({ state }) => state === "retrievable"));
    assert.ok(
      turn.every(({ state }) => state === "retrievable"),
      "a warning turn leaves with its compaction",
    );
  }
  const found = await Promise.all(
    receipts.map(({ epoch }) =>
      call(server, "messages", { params, query: { epoch, q: "july double-counted" } }),
    ),
  );
  const sizes = found.map(({ messages }) => messages.length);
  assert.ok(Math.max(...sizes) >= 1 && sizes.every((size, index) => size < (receipts[index]?.messages ?? 0)));
  await refused(server, "compaction", { params: { id: "a", epoch: 99 } }, 404);

  const newest = await call(server, "messages", { params, query: { limit: 5 } });
  assert.equal(newest.messages.length, 5);
  assert.equal(newest.messages.at(-1)?.number, newest.last);
  const older = await call(server, "messages", { params, query: { limit: 5, before: newest.before ?? 0 } });
  assert.equal(older.messages.at(-1)?.number, newest.first - 1);
});

test("each model call has one size, parts and pieces that add up to it [serve.calls]", async (context) => {
  const { server, memory } = await startTestServer(context);
  await runAudit(memory, { session: { id: "a" } });
  const params = { id: "a" };
  const { calls, total, before, cuts } = await call(server, "calls", { params });
  assert.ok(calls.length > 15 && total === calls.length && before === null);
  assert.deepEqual(
    calls.map(({ number }) => number),
    calls.map((_, index) => index + 1),
  );
  assert.deepEqual(new Set(calls.map(({ purpose }) => purpose)), new Set(["turn", "warning", "summary"]));
  assert.deepEqual(cuts, [1, 2, 3]);
  const last = await call(server, "calls", { params, query: { limit: 3 } });
  assert.deepEqual([last.calls, last.before], [calls.slice(-3), total - 2]);
  const older = await call(server, "calls", { params, query: { limit: 3, before: last.before ?? 0 } });
  assert.deepEqual(older.calls, calls.slice(-6, -3));
  for (const { number, parts, tokens, basis } of calls) {
    const sum = Object.values(parts).reduce((all, each) => all + each, 0);
    assert.deepEqual([sum, basis], [tokens, "provider"]);
    const { pieces } = await call(server, "call", { params: { id: "a", number } });
    const inPieces = (...of: string[]) =>
      pieces.filter(({ part }) => of.includes(part)).reduce((all, piece) => all + piece.tokens, 0);
    for (const part of ["tools", "system", "summaries", "results"] as const)
      assert.equal(inPieces(part), parts[part], `the pieces of ${part} in call ${number}`);
    // Memory that came with a message is in the message's piece.
    assert.equal(inPieces("memory", "history"), parts.memory + parts.history);
  }
  const { window } = (await call(server, "session", { params })).session;
  const newest = calls.findLast(({ purpose }) => purpose !== "summary");
  assert.deepEqual([window?.tokens, window?.call], [newest?.tokens, newest?.number]);
  assert.ok(window && window.warnAt !== null && window.warnAt <= window.compactAt && window.isLearned);

  const second = await call(server, "call", { params: { id: "a", number: 2 } });
  assert.equal(second.against, 1);
  assert.ok(second.prefix.pieces > 0);
  assert.ok(second.pieces.every(({ change, index }) => (change === "same") === index < second.prefix.pieces));
  assert.ok(second.pieces.some(({ change, text }) => change === "added" && text.includes("read_sheet")));
  const whole = await call(server, "call", { params: { id: "a", number: 2 }, query: { whole: 3 } });
  assert.deepEqual(
    whole.pieces.map(({ index, text }) => [index, text]),
    [[3, second.pieces[3]?.text]],
  );
  const cut = calls.find(({ epoch }) => epoch === 2)?.number ?? 0;
  const after = await call(server, "call", { params: { id: "a", number: cut } });
  assert.ok(after.gone.length > 0, "a compaction removes pieces");
  await refused(server, "call", { params: { id: "a", number: 999 } }, 404);
});

test("a write without a change is named as one, and a long rewrite is not compared [serve.journal]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const session = await memory.createSession({ id: "a" });
  const linesOf = (word: string) => Array.from({ length: 2_400 }, (_, line) => `${word} ${line}`).join("\n");
  await session.notepad.write("one");
  await session.notepad.append("");
  await session.scratchpad.setPlan("1. look");
  await session.scratchpad.setPlan("1. look");
  await session.notepad.write("one\n\n");
  await session.notepad.write(linesOf("old"));
  await session.notepad.append("the end");
  await session.notepad.write(linesOf("new"));
  const { entries } = await call(server, "history", { params: { id: "a" } });
  assert.deepEqual(entries.map(({ summary }) => summary).reverse(), [
    "Wrote the notepad: one",
    "Wrote the notepad again, without a change",
    "Wrote the plan: look",
    "Wrote the plan again, without a change",
    "Changed blank lines of the notepad",
    "Changed the notepad: 2400 lines added, 1 removed",
    "Added to the notepad: the end",
    "Rewrote the notepad",
  ]);
});

test("two compactions of a coding agent with the same receipt have their own handoff and summary [serve.compactions]", async (context) => {
  const memory = await openMemory({ store: "memory:" });
  const session = await memory.createSession({ id: "a" });
  for (const number of [1, 3]) {
    const compaction = new Compaction({
      session,
      trigger: "host",
      skipped: "",
      readWith: "recall",
      countTokens: (text) => text.length,
      contextAfter: async ({ summary }) => ({ text: summary, tokens: 10 }),
      commit: (receipt) => commitReceipt(session, receipt),
      notify: async () => {},
    });
    const message = { role: "assistant" as const, content: `Step ${number}` };
    await compaction.begin({ messages: [{ number, at: 0, message }], to: number });
    await compaction.finish({ text: `Summary ${number}`, by: "model" });
  }
  const lines = (await session.receipts()).map(({ line }) => line);
  assert.equal(lines[0], lines[1]);
  const stored = (content: string) => ({ message: { role: "assistant", content } });
  const conversation = {
    messages: [
      { number: 1, stored: stored("Step 1") },
      { number: 2, stored: stored(`After the first\n${lines[0]}`), isMemory: true },
      { number: 3, stored: stored("Step 3") },
      { number: 4, stored: stored(`After the second\n${lines[1]}`), isMemory: true },
    ],
    calls: [],
    compactions: [
      { to: 1, summary: "Summary 1" },
      { to: 3, summary: "Summary 3" },
    ],
    earlier: 0,
  };
  const hosts = { ...noHosts, conversation: async () => conversation };
  const { server } = await startTestServer(context, { memory, hosts });
  for (const [epoch, handoff, summary] of [
    [1, "After the first", "Summary 1"],
    [2, "After the second", "Summary 3"],
  ] as const) {
    const shown = await call(server, "compaction", { params: { id: "a", epoch } });
    assert.deepEqual(
      [shown.handoff.text.split("\n")[0], shown.handoff.source, shown.summary],
      [handoff, "transcript", summary],
    );
  }
});

test("the warning comes at the tick that the page showed before [serve.calls] [inspector.numbers]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const shown: { call: number; warnAt: number }[] = [];
  const look = async () => {
    const session = await memory.findSession("a");
    if (!session) return 0;
    const { window } = (await call(server, "session", { params: { id: "a" } })).session;
    if (window?.warnAt) shown.push({ call: window.call ?? 0, warnAt: window.warnAt });
    return 0;
  };
  await runAudit(memory, { session: { id: "a" }, thinking: look });
  const { calls } = await call(server, "calls", { params: { id: "a" } });
  const warned = calls.filter(
    ({ purpose }, index) => purpose === "warning" && calls[index - 1]?.purpose === "turn",
  );
  assert.equal(warned.length, 3);
  for (const { number, tokens } of warned) {
    const before = calls[number - 2];
    const tick = shown.find((each) => each.call === before?.number)?.warnAt ?? 0;
    // The agent decides by its estimate, the page shows the provider's count.
    assert.ok(before && before.tokens < tick && tick <= tokens * 1.05, `call ${number}: ${tokens}, ${tick}`);
  }
});

test("a text is in context, retrievable or lost, with its life [inspector.still-there]", async (context) => {
  const { server, memory } = await startTestServer(context);
  await runAudit(memory, { session: { id: "a" } });
  const session = await memory.resumeSession("a");
  const where = (q: string) => call(server, "where", { params: { id: "a" }, query: { q } });
  const noted = await where("july Double-counted");
  assert.deepEqual([noted.state, noted.places[0]?.kind, noted.places[0]?.line], ["in context", "notepad", 9]);
  const { life } = noted;
  assert.ok(life?.calls && life.calls.present === life.calls.checked && life.compactions === 3);
  assert.equal(life.actor?.kind, "agent");
  const raw = await where("2024-03-01");
  assert.deepEqual(new Set(raw.places.map(({ state }) => state)).has("retrievable"), true);
  await session.notepad.append("a line that goes");
  await session.notepad.replace("a line that goes", "another");
  const gone = await where("a line that goes");
  assert.deepEqual([gone.state, gone.places[0]?.kind], ["lost", "history"]);
  assert.equal((await where("never written anywhere")).state, null);
});

test("a memory type that the config does not offer is lost to a coding agent except for pins, not to your own agent [inspector.still-there]", async (context) => {
  const memory = await openMemory({ store: join(temporaryDirectory(), "memory.db"), surfaces: ["notepad"] });
  const session = await memory.createSession({ id: "claude-code.a" });
  await session.notepad.write("red one");
  await session.pins.pin("red rule", { actor: { kind: "person" } });
  await session.scratchpad.addRef("red.ts");
  await session.notes.add("red note");
  const empty = await memory.createSession({ id: "empty" });
  const readWith = async (hosts: typeof noHosts) => {
    const offers = (surface: string) => surface === "notepad";
    const { server } = await startTestServer(context, { memory, hosts, offers });
    const offeredTo = async (id: string) => (await call(server, "session", { params: { id } })).offered;
    const { places } = await call(server, "where", { params: { id: session.id }, query: { q: "red" } });
    return {
      offered: [await offeredTo(session.id), await offeredTo(empty.id)],
      states: places.map(({ kind, state }) => `${kind}: ${state}`),
    };
  };
  const none = { notes: false, scratchpad: false };
  const shown = ["notepad: in context", "pin: in context"];
  assert.deepEqual(await readWith(noHosts), {
    offered: [{ notes: true, scratchpad: true }, none],
    states: [...shown, "reference: in context", "note: retrievable"],
  });
  const about = () => ({ host: "Claude Code", project: "", ask: "", isInTurn: false });
  assert.deepEqual(await readWith({ ...noHosts, about }), {
    offered: [none, none],
    states: [...shown, "reference: lost", "note: lost"],
  });
});

test("the last seven days count compactions by day [people.stats]", async (context) => {
  const { server, memory } = await startTestServer(context);
  await runAudit(memory, { session: { id: "a" } });
  const week = await call(server, "week");
  assert.deepEqual([week.days.length, week.days.at(-1)?.compactions], [7, 3]);
  assert.equal(week.compactions, 3);
});
