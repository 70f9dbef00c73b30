import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { answer, everything, openTestMemory, rejection } from "../../test/support/memory.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";

const ids = (sessions: { id: string }[]) => sessions.map(({ id }) => id);

test("a session is created with an id, an agent and a title, and found again [sessions.lifecycle]", async () => {
  const memory = await openTestMemory();
  const session = await memory.createSession({ id: "audit", agent: "auditor", title: "Workbook" });
  assert.equal(session.id, "audit");
  assert.equal(await memory.resumeSession("audit"), session);
  const [listed] = await memory.listSessions();
  assert.deepEqual(
    [listed?.id, listed?.agent, listed?.title, listed?.status, listed?.notes],
    ["audit", "auditor", "Workbook", "active", 0],
  );
  assert.match((await rejection(memory.createSession({ id: "audit" }), "session_exists")).message, /"audit"/);
});

test("default ids are random and safe in a path [sessions.lifecycle]", async () => {
  const memory = await openTestMemory();
  const made = new Set<string>();
  for (let index = 0; index < 50; index++) made.add((await memory.createSession()).id);
  assert.equal(made.size, 50);
  for (const id of made) assert.match(id, /^[A-Za-z0-9][\w-]{10,}$/);
});

test("openSession resumes an existing session and creates a missing one [sessions.lifecycle]", async () => {
  const memory = await openTestMemory();
  const first = await memory.openSession("s", { title: "first" });
  await first.notepad.write("kept");
  const again = await memory.openSession("s", { title: "ignored" });
  assert.equal(await again.notepad.read(), "kept");
  assert.equal((await again.state()).row.title, "first");
  const many = await Promise.all(Array.from({ length: 5 }, () => memory.openSession("together")));
  assert.deepEqual(new Set(ids(many)), new Set(["together"]));
});

test("a resumed session has its last state, through another handle and after closing [sessions.lifecycle]", async () => {
  const store = join(temporaryDirectory(), "memory.db");
  const first = await openTestMemory({ store });
  const session = await first.createSession({ id: "s" });
  await session.notepad.write("findings");
  await answer(session, "add_note", { content: "note", tags: ["Tag"] });
  await answer(session, "session.scratchpad", { action: "refs.add", ref: "src/a.ts" });
  const second = await openTestMemory({ store });
  assert.deepEqual(await everything(await second.resumeSession("s")), await everything(session));
  const left = await everything(session);
  await first.close();
  await second.close();
  const third = await openTestMemory({ store });
  assert.deepEqual(await everything(await third.resumeSession("s")), left);
  await third.close();
});

test("another handle reads a write immediately [sessions.lifecycle]", async () => {
  const store = join(temporaryDirectory(), "memory.db");
  const memories = [await openTestMemory({ store }), await openTestMemory({ store })] as const;
  const [one, two] = [await memories[0].openSession("s"), await memories[1].openSession("s")];
  for (let round = 0; round < 5; round++) {
    await one.notepad.append(`one ${round}`);
    assert.ok((await two.context()).system.endsWith(`one ${round}`));
    await two.notes.add(`two ${round}`);
    assert.equal((await one.notes.all())[0]?.content, `two ${round}`);
    assert.equal((await one.notes.search({ query: `two ${round}` })).total, 1);
  }
  for (const memory of memories) await memory.close();
});

test("concurrent calls are all applied, in call order [sessions.lifecycle] [journal.history]", async () => {
  const session = await (await openTestMemory()).createSession();
  const lines = Array.from({ length: 50 }, (_, index) => `line ${index}`);
  await Promise.all(lines.map((content) => session.call("update_notepad", { operation: "append", content })));
  assert.equal(await session.notepad.read(), lines.join("\n"));
  assert.equal((await session.history()).length, 51);
});

test("archived sessions are not listed but can be resumed; deleted ones cannot until restored [sessions.lifecycle]", async () => {
  const memory = await openTestMemory();
  for (const id of ["a", "b", "c"]) await (await memory.createSession({ id })).notepad.write(id);
  await memory.archiveSession("a");
  assert.deepEqual(ids(await memory.listSessions()).toSorted(), ["b", "c"]);
  assert.deepEqual(ids(await memory.listSessions({ status: "archived" })), ["a"]);
  assert.equal(await (await memory.resumeSession("a")).notepad.read(), "a");

  await memory.deleteSession("b");
  assert.deepEqual(ids(await memory.listSessions()), ["c"]);
  assert.deepEqual(ids(await memory.listSessions({ status: "all" })).toSorted(), ["a", "c"]);
  await rejection(memory.resumeSession("b"), "session_not_found");
  assert.match((await rejection(memory.openSession("b"), "session_exists")).message, /restore/);

  await memory.restoreSession("b");
  assert.equal(await (await memory.resumeSession("b")).notepad.read(), "b");
  await memory.restoreSession("a");
  assert.deepEqual(ids(await memory.listSessions()).toSorted(), ["a", "b", "c"]);
});

test("sessions are listed newest first, by agent, in pages [sessions.lifecycle]", async () => {
  const memory = await openTestMemory();
  for (const [id, agent] of [
    ["a", "x"],
    ["b", "y"],
    ["c", "x"],
  ] as const)
    await memory.createSession({ id, agent });
  await (await memory.resumeSession("a")).notepad.write("touched");
  assert.deepEqual(ids(await memory.listSessions()), ["a", "c", "b"]);
  assert.deepEqual(ids(await memory.listSessions({ agent: "x" })), ["a", "c"]);
  const [after] = await memory.listSessions({ limit: 1 });
  assert.ok(after);
  assert.deepEqual(ids(await memory.listSessions({ limit: 1, after })), ["c"]);
});

test("purging removes everything and frees the id; a session with forks cannot be purged [sessions.lifecycle] [sessions.fork]", async () => {
  const memory = await openTestMemory();
  const parent = await memory.createSession({ id: "parent" });
  await parent.notes.add("shared");
  const fork = await memory.forkSession("parent", { id: "fork" });
  assert.match((await rejection(memory.purgeSession("parent"), "conflict")).message, /fork/);
  await memory.deleteSession("parent");
  assert.equal((await fork.notes.all()).length, 1, "a fork outlives its parent's deletion");
  await memory.purgeSession("fork");
  await memory.purgeSession("parent");
  await rejection(memory.restoreSession("parent"), "session_not_found");
  const again = await memory.createSession({ id: "parent" });
  assert.deepEqual(await again.notes.all(), []);
  await assert.rejects(fork.notepad.append("x"), "a handle on a purged session writes nothing");
});

test("an owner cannot access another owner's sessions [sessions.lifecycle]", async () => {
  const store = join(temporaryDirectory(), "memory.db");
  const alice = await openTestMemory({ store, owner: "alice" });
  const mallory = await openTestMemory({ store, owner: "mallory" });
  await (await alice.createSession({ id: "diary" })).notepad.write("secret");
  assert.deepEqual(await mallory.listSessions({ status: "all" }), []);
  for (const method of [
    "resumeSession",
    "archiveSession",
    "deleteSession",
    "purgeSession",
    "forkSession",
    "spawnSession",
    "exportSession",
  ] as const) {
    await rejection(mallory[method]("diary"), "session_not_found");
  }
  assert.equal(await (await alice.resumeSession("diary")).notepad.read(), "secret");
  await alice.close();
  await mallory.close();
});
