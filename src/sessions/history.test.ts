import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answer,
  everything,
  openTestMemory,
  openTestSession,
  rejection,
  tickingClock,
} from "../../test/support/memory.ts";

test("the journal lists every accepted operation in order, with actor, time and operation [journal.history]", async () => {
  const start = Date.UTC(2026, 0, 1);
  const session = await openTestSession({ clock: tickingClock(start) });
  await session.notepad.write("plan");
  await session.notepad.append("by hand", { actor: { kind: "person", name: "Ada" }, surface: "inspector" });
  await session.call("update_notepad", { operation: "delete", content: "not there" });
  await session.call(
    "add_note",
    { content: "from the agent", tags: ["t"] },
    { actor: { kind: "sub-session", name: "sub_1" } },
  );
  const entries = await session.history();
  assert.deepEqual(
    entries.map(({ revision, actor, operation }) => [revision, actor.kind, operation.type]),
    [
      [4, "sub-session", "notes.add"],
      [3, "person", "notepad.append"],
      [2, "agent", "notepad.write"],
      [1, "system", "session.create"],
    ],
    "newest first, without the rejected call",
  );
  assert.deepEqual(entries[1]?.actor, { kind: "person", name: "Ada" });
  assert.equal(entries[1]?.surface, "inspector");
  assert.equal(entries[2]?.surface, "notepad");
  assert.deepEqual(entries[0]?.operation, { type: "notes.add", content: "from the agent", tags: ["t"] });
  for (const { at } of entries) assert.ok(at > start && at < start + 60_000);
  assert.deepEqual(
    (await session.history({ from: 2, to: 3, newestFirst: false })).map(({ revision }) => revision),
    [2, 3],
  );
  assert.deepEqual(
    (await session.history({ limit: 1 })).map(({ revision }) => revision),
    [4],
  );
});

test("two revisions can be compared, in both directions [journal.diff]", async () => {
  const session = await openTestSession();
  await session.notepad.write("a\nb\nc");
  const { result: first } = await session.notes.add("old", ["t"]);
  const { revision: from } = await session.notes.add("to be deleted");
  await session.notepad.replace("b", "B");
  await session.notes.update(first.note.id, { content: "new" });
  await session.notes.delete(
    (await session.notes.all()).find(({ content }) => content === "to be deleted")?.id ?? "",
  );
  const { revision: to } = await session.scratchpad.addRef("src/a.ts");
  const there = await session.diff(from, to);
  assert.deepEqual(there.notepad, [
    { kind: "same", text: "a" },
    { kind: "removed", text: "b" },
    { kind: "added", text: "B" },
    { kind: "same", text: "c" },
  ]);
  assert.deepEqual(
    there.notes.changed.map(({ before, after }) => [before.content, after.content]),
    [["old", "new"]],
  );
  assert.deepEqual(
    there.notes.removed.map(({ content }) => content),
    ["to be deleted"],
  );
  assert.deepEqual(
    [there.notes.added, there.scratchpad.refsAdded, there.scratchpad.refsRemoved],
    [[], ["src/a.ts"], []],
  );
  const back = await session.diff(to, from);
  assert.deepEqual(
    back.notes.added.map(({ content }) => content),
    ["to be deleted"],
  );
  assert.deepEqual(back.scratchpad.refsRemoved, ["src/a.ts"]);
  assert.ok((await session.diff(from, from)).notepad.every(({ kind }) => kind === "same"));
});

test("the memory can be read at any revision; an unknown revision is rejected [journal.state-at]", async () => {
  const session = await openTestSession();
  const { revision } = await session.notepad.write("then");
  await session.notepad.write("now");
  assert.deepEqual(await session.at(1), {
    revision: 1,
    notepad: null,
    scratchpad: { notes: "", plan: "", refs: [] },
    notes: [],
  });
  assert.equal((await session.at(revision)).notepad, "then");
  for (const wrong of [0, -1, 4, 1.5, Number.NaN, "2" as unknown as number]) {
    assert.match((await rejection(session.at(wrong), "invalid_input")).message, /1 to 3/);
  }
});

test("the last operation can be undone, whichever actor made it, and so can the undo [journal.undo-last]", async () => {
  const session = await openTestSession();
  await rejection(session.undo(), "cannot_undo");
  await session.notepad.write("first");
  await session.notepad.write("second", { actor: { kind: "person" } });
  const { result, revision } = await session.undo();
  assert.equal(result.undone, 3);
  assert.equal(await session.notepad.read(), "first");
  await session.undo(revision);
  assert.equal(await session.notepad.read(), "second");
  const [newest] = await session.history({ limit: 1 });
  assert.equal(newest?.operation.type, "undo", "an undo is an entry like any other");
});

test("any operation can be undone if its inverse still applies [journal.undo-any]", async () => {
  const session = await openTestSession();
  const { revision: heading } = await session.notepad.write("# Plan");
  const { revision: one } = await session.notepad.append("- one");
  await session.notepad.append("- two");
  const { revision: note } = await session.notes.add("a note", ["kept"]);
  const { revision: other } = await session.notes.add("another", ["kept"]);
  await session.undo(one);
  assert.equal(await session.notepad.read(), "# Plan\n- two");
  await session.undo(note);
  assert.deepEqual(
    (await session.notes.all()).map(({ content }) => content),
    ["another"],
  );
  assert.deepEqual(await session.notes.tags(), [{ tag: "kept", notes: 1 }]);
  await session.undo(other);
  assert.deepEqual((await session.state()).row.counters.tags, 0);
  await session.undo(heading);
  assert.equal((await session.notepad.read()).trim(), "- two");
});

test("undo is rejected with a reason if the inverse does not apply [journal.undo-any]", async () => {
  const memory = await openTestMemory();
  const session = await memory.createSession({ id: "s" });
  const { revision: line } = await session.notepad.write("colour");
  const { revision: replaced } = await session.notepad.replace("colour", "color");
  const { result, revision: added } = await session.notes.add("note");
  await session.notes.update(result.note.id, { content: "changed since" });
  const { revision: removed } = await (async () => {
    await session.scratchpad.addRef("src/a.ts");
    return session.scratchpad.removeRef("src/a.ts");
  })();
  await session.scratchpad.addRef("src/a.ts");
  await memory.forkSession("s", { id: "fork" });
  const fork = (await session.state()).row.revision;
  const { revision: undone } = await session.undo(replaced).then(() => ({ revision: replaced }));
  const before = await everything(session);
  for (const [revision, reason] of [
    [added, /changed since/],
    [removed, /added again/],
    [fork, /fork/],
    [undone, /already undone/],
    [1, /no operation/],
    [999, /no operation/],
    [0, /no operation/],
  ] as const) {
    assert.match((await rejection(session.undo(revision), "cannot_undo")).message, reason);
  }
  assert.deepEqual(await everything(session), before);
  await session.notepad.write("something else");
  assert.match((await rejection(session.undo(line), "cannot_undo")).message, /same text/);
  const inFork = await memory.resumeSession("fork");
  const { revision: birth } = (await inFork.state()).row;
  await rejection(inFork.undo(birth), "cannot_undo");
});

test("a text never comes back next to another in a guessed order [journal.undo-any]", async () => {
  const session = await openTestSession();
  await session.notepad.write("1. Backup\n2. Migrate\n3. Verify\n4. Delete old");
  const third = await session.notepad.delete("3. Verify\n");
  const second = await session.notepad.delete("2. Migrate\n");
  const back = await session.undo(third.revision);
  const { message } = await rejection(session.undo(second.revision), "cannot_undo");
  assert.match(
    message,
    /put a text where it took one away\. Nothing was changed\. Undo the later change first/,
  );
  assert.equal(await session.notepad.read(), "1. Backup\n3. Verify\n4. Delete old");
  await session.undo(back.revision);
  await session.undo(second.revision);
  await session.undo(third.revision);
  assert.equal(await session.notepad.read(), "1. Backup\n2. Migrate\n3. Verify\n4. Delete old");

  const cut = await session.notepad.delete("\n4. Delete old");
  await session.notepad.append("4. Keep old");
  await rejection(session.undo(cut.revision), "cannot_undo");
});

test("undo respects the limits [journal.undo-any] [notepad.limit]", async () => {
  const session = await openTestSession({ limits: { notepadCharacters: 10, refs: 2 } });
  await session.notepad.write("1234567890");
  const { revision } = await session.notepad.delete("67890");
  await session.notepad.prepend("abcd");
  assert.match((await rejection(session.undo(revision), "cannot_undo")).message, /limit/);
  await session.scratchpad.setRefs(["a", "b"]);
  const { revision: removed } = await session.scratchpad.removeRef("a");
  await session.scratchpad.addRef("c");
  assert.match((await rejection(session.undo(removed), "cannot_undo")).message, /more than 2 refs/);
});

test("a repeated idempotency key changes nothing and returns the first answer [journal.idempotency]", async () => {
  const session = await openTestSession();
  const first = await session.notepad.append("once", { key: "turn-1" });
  await session.notepad.append("then");
  const again = await session.notepad.append("once", { key: "turn-1" });
  assert.equal(await session.notepad.read(), "once\nthen");
  assert.deepEqual(
    [again.revision, again.result, again.warnings],
    [first.revision, first.result, first.warnings],
  );
  assert.deepEqual([first.repeated, again.repeated], [false, true]);

  const tool = { content: "note", tags: ["a"] };
  const answered = await session.call("add_note", tool, { key: "turn-2" });
  await answer(session, "add_note", { content: "another" });
  assert.deepEqual(await session.call("add_note", tool, { key: "turn-2" }), answered);
  assert.equal((await session.notes.all()).length, 2);

  const long = { action: "set_plan", content: "x".repeat(3_000) };
  const truncated = await session.call("session.scratchpad", long, { key: "turn-3" });
  assert.deepEqual(await session.call("session.scratchpad", long, { key: "turn-3" }), truncated);
});

test("an undo with an idempotency key runs once [journal.idempotency]", async () => {
  const session = await openTestSession();
  await session.notepad.write("first");
  await session.notepad.write("second");
  await session.notepad.write("third");
  const last = await session.undo(undefined, { key: "u1" });
  assert.deepEqual((await session.undo(undefined, { key: "u1" })).result, last.result);
  assert.equal(await session.notepad.read(), "second");
  const named = await session.undo(3, { key: "u2" });
  assert.deepEqual((await session.undo(3, { key: "u2" })).result, named.result);
  assert.equal(await session.notepad.read(), "first");
});

test("a key used for another operation is rejected, and so is an invalid key [journal.idempotency]", async () => {
  const session = await openTestSession();
  await session.notepad.append("one", { key: "k" });
  const before = await everything(session);
  assert.match((await rejection(session.notepad.append("two", { key: "k" }), "key_reused")).message, /"k"/);
  await rejection(session.undo(undefined, { key: "k" }), "key_reused");
  for (const key of ["", "x".repeat(256), 5 as unknown as string])
    await rejection(session.notepad.append("x", { key }), "invalid_input");
  assert.deepEqual(await everything(session), before);
  const rejected = await session.call(
    "update_notepad",
    { operation: "delete", content: "missing" },
    { key: "later" },
  );
  assert.equal(rejected.ok, false);
  assert.equal(
    (await session.call("write_notepad", { content: "x" }, { key: "later" })).ok,
    true,
    "a rejected call does not use up its key",
  );
});

test("a clock that jumps or is frozen does not change the order [journal.order] [notes.ids]", async () => {
  const times = [5_000, 5_000, -10_000, 5e12, 0, 5_000.5, 5_000];
  let presentation = 0;
  const session = await openTestSession({ clock: () => times[presentation++ % times.length] as number });
  for (let index = 0; index < 20; index++) await session.notes.add(`note ${index}`);
  const newestFirst = Array.from({ length: 20 }, (_, index) => `note ${19 - index}`);
  assert.deepEqual(
    (await session.notes.all()).map(({ content }) => content),
    newestFirst,
  );
  assert.deepEqual(
    (await session.notes.search({ query: "note" })).notes.map(({ content }) => content),
    newestFirst,
  );
  const ids = (await session.notes.all()).map(({ id }) => Number(id.slice("note_".length))).toReversed();
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  );
  assert.equal(new Set(ids).size, 20);
  assert.deepEqual(
    (await session.history()).map(({ revision }) => revision),
    Array.from({ length: 21 }, (_, index) => 21 - index),
  );
  await session.undo();
  assert.equal((await session.notes.all())[0]?.content, "note 18");
});
