import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { mock, test } from "node:test";
import { everyStore } from "../../test/support/every-store.ts";
import { everything, openTestMemory, rejection } from "../../test/support/memory.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { storeContract } from "../testing/store-contract.ts";
import { openStore } from "./open-store.ts";

test("to mallory, ada's session does not exist, whatever the call [stores.owner]", async (context) => {
  for (const { name, store } of await everyStore()) {
    // One store shared by two owners, as in a server.
    const opened = await openStore(store);
    context.after(() => opened.close());
    const [ada, mallory] = [
      await openTestMemory({ store: opened, owner: "ada" }),
      await openTestMemory({ store: opened, owner: "mallory" }),
    ];
    const received: string[] = [];
    await mallory.watch(({ sessionId }) => received.push(sessionId));
    const session = await ada.createSession({ id: "diary" });
    await session.notepad.write("secret");
    await session.notes.add("secret", ["secret"], { key: "k" });
    await ada.forkSession("diary", { id: "fork" });
    const before = await everything(session);

    assert.equal(await mallory.findSession("diary"), undefined, name);
    assert.deepEqual(await mallory.listSessions({ status: "all" }), [], name);
    assert.deepEqual(await mallory.listSessions({ parent: "diary" }), [], name);
    const attempts = [
      () => mallory.resumeSession("diary"),
      () => mallory.archiveSession("diary"),
      () => mallory.deleteSession("diary"),
      () => mallory.restoreSession("diary"),
      () => mallory.purgeSession("diary"),
      () => mallory.forkSession("diary"),
      () => mallory.spawnSession("diary", { copyNotepad: true }),
      () => mallory.exportSession("diary"),
    ];
    for (const attempt of attempts) await rejection(attempt(), "session_not_found");
    // Not even by the name: her own session of that name is a new one.
    const namesake = await mallory.createSession({ id: "diary" });
    await rejection(mallory.createSession({ id: "diary" }), "session_exists");
    assert.equal(await namesake.notepad.read(), "", name);
    await namesake.notepad.write("hers");
    assert.equal((await namesake.notes.add("hers", [], { key: "k" })).repeated, false, name);
    assert.deepEqual(await everything(session), before, name);
    await mallory.purgeSession("diary");
    assert.deepEqual(await everything(session), before, name);
    received.length = 0;

    const own = await mallory.createSession({ id: "own" });
    assert.equal(
      (await own.notes.add("mine", [], { key: "k" })).repeated,
      false,
      "ada's idempotency key is not mallory's",
    );
    assert.ok(!received.includes("diary"), `${name}: mallory was notified of ada's session`);
  }
});

test("bob can import an export of ada's session next to hers [stores.owner] [sessions.export]", async (context) => {
  for (const { store } of await everyStore()) {
    const opened = await openStore(store);
    context.after(() => opened.close());
    const [ada, bob] = [
      await openTestMemory({ store: opened, owner: "ada" }),
      await openTestMemory({ store: opened, owner: "bob" }),
    ];
    const session = await ada.createSession({ id: "report" });
    await session.notepad.write("to share");
    const copy = await bob.importSession(await ada.exportSession("report"));
    assert.equal(copy.id, "report", "the id is free among bob's");
    await copy.notepad.write("bob's");
    assert.equal(await session.notepad.read(), "to share");
  }
});

test("every SQLite statement names the owner, except the watchers' poll [stores.owner]", async () => {
  const prepared = mock.method(DatabaseSync.prototype, "prepare");
  for (const { run } of storeContract) {
    const path = join(temporaryDirectory(), "memory.db");
    await run({ open: () => openStore(path), durable: true });
  }
  const statements = new Set(
    prepared.mock.calls.map(({ arguments: [text] }) => String(text).replace(/\s+/g, " ")),
  );
  mock.restoreAll();
  const onData = [...statements].filter((text) =>
    /agent_sessions|session_records|session_journal/.test(text),
  );
  assert.ok(onData.length >= 15);
  const scoped = /\bowner = \?|^INSERT INTO \w+ \([^)]*\bowner\b/;
  const others = onData.filter((text) => !scoped.test(text));
  assert.deepEqual(others.toSorted(), []);
});
