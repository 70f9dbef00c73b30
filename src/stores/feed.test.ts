import assert from "node:assert/strict";
import { test } from "node:test";
import { everyStore } from "../../test/support/every-store.ts";
import { openTestMemory } from "../../test/support/memory.ts";
import { startWriter } from "../../test/support/processes.ts";
import type { JournalEntry } from "../index.ts";

const operations = 60;

test("a watcher gets every entry of other processes live, once and in order, in SQLite, JSONL and Postgres [journal.feed]", async (context) => {
  for (const { name, store } of await everyStore()) {
    if (name === "memory") continue;
    const memory = await openTestMemory({ store });
    context.after(() => memory.close());
    const session = await memory.createSession({ id: "shared" });
    const received: JournalEntry[] = [];
    const last = 1 + 2 * operations;
    const all = new Promise<void>((resolve) => {
      void session.watch((entry) => {
        received.push(entry);
        if (entry.revision === last) resolve();
      });
    });
    const writers = ["w1", "w2"].map((each) =>
      startWriter({ store, session: "shared", name: each, operations, acknowledge: true }),
    );
    await Promise.all(writers.map(({ said }) => said("ready")));
    for (const { say } of writers) say("go");
    await all;
    assert.deepEqual(
      received.map(({ revision }) => revision),
      Array.from({ length: last - 1 }, (_, index) => index + 2),
      name,
    );
    assert.deepEqual(received, await session.history({ from: 2, newestFirst: false }), name);
    for (const { ended } of writers) assert.equal((await ended).code, 0);
  }
});

test("a watcher is notified of a session that another process creates, and of its changes [journal.feed]", async (context) => {
  for (const { name, store } of await everyStore()) {
    if (name === "memory") continue;
    const memory = await openTestMemory({ store });
    context.after(() => memory.close());
    const received: { sessionId: string; revision: number }[] = [];
    let wake = () => {};
    await memory.watch((change) => {
      received.push(change);
      wake();
    });
    const until = async (revision: number) => {
      while (received.at(-1)?.revision !== revision) await new Promise<void>((proceed) => (wake = proceed));
    };
    const writer = startWriter({ store, session: "new", name: "w", operations: 1, acknowledge: true });
    await until(1);
    writer.say("go");
    await until(2);
    assert.deepEqual(
      received,
      [
        { sessionId: "new", revision: 1 },
        { sessionId: "new", revision: 2 },
      ],
      name,
    );
    await writer.ended;
  }
});

test("a listener that throws affects neither the write nor other listeners, and its error is reported [journal.feed]", async () => {
  const memory = await openTestMemory();
  const session = await memory.createSession({ id: "a" });
  const received: number[] = [];
  await memory.watch(() => {
    throw new Error("the listener failed");
  });
  await memory.watch(({ revision }) => received.push(revision));
  const uncaught = new Promise<unknown>((resolve) => {
    const listeners = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.once("uncaughtException", (error) => {
      for (const listener of listeners) process.on("uncaughtException", listener);
      resolve(error);
    });
  });
  assert.equal((await session.notepad.append("kept")).revision, 2);
  assert.equal(((await uncaught) as Error).message, "the listener failed");
  assert.deepEqual(received, [2]);
  assert.equal(await session.notepad.read(), "kept");
});
