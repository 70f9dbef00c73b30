import assert from "node:assert/strict";
import { test } from "node:test";
import { everyStore } from "../../test/support/every-store.ts";
import { openTestMemory } from "../../test/support/memory.ts";
import { startWriter } from "../../test/support/processes.ts";
import type { JournalEntry } from "../index.ts";

const operations = 60;

test("what other processes write is heard live: every entry, once, in order, in SQLite, JSONL and Postgres [journal.feed]", async (context) => {
  for (const { name, store } of await everyStore()) {
    if (name === "memory") continue;
    const memory = await openTestMemory({ store });
    context.after(() => memory.close());
    const session = await memory.createSession({ id: "shared" });
    const heard: JournalEntry[] = [];
    const last = 1 + 2 * operations;
    const all = new Promise<void>((resolve) => {
      void session.watch((entry) => {
        heard.push(entry);
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
      heard.map(({ revision }) => revision),
      Array.from({ length: last - 1 }, (_, place) => place + 2),
      name,
    );
    assert.deepEqual(heard, await session.history({ from: 2, newestFirst: false }), name);
    for (const { ended } of writers) assert.equal((await ended).code, 0);
  }
});

test("a session that another process makes is heard of, and of its every change [journal.feed]", async (context) => {
  for (const { name, store } of await everyStore()) {
    if (name === "memory") continue;
    const memory = await openTestMemory({ store });
    context.after(() => memory.close());
    const heard: { sessionId: string; revision: number }[] = [];
    let wake = () => {};
    await memory.watch((change) => {
      heard.push(change);
      wake();
    });
    const until = async (revision: number) => {
      while (heard.at(-1)?.revision !== revision) await new Promise<void>((proceed) => (wake = proceed));
    };
    const writer = startWriter({ store, session: "new", name: "w", operations: 1, acknowledge: true });
    await until(1);
    writer.say("go");
    await until(2);
    assert.deepEqual(
      heard,
      [
        { sessionId: "new", revision: 1 },
        { sessionId: "new", revision: 2 },
      ],
      name,
    );
    await writer.ended;
  }
});

test("a listener that throws spoils neither the write nor the other listeners, and is not passed over in silence [journal.feed]", async () => {
  const memory = await openTestMemory();
  const session = await memory.createSession({ id: "a" });
  const heard: number[] = [];
  await memory.watch(() => {
    throw new Error("a listener's own fault");
  });
  await memory.watch(({ revision }) => heard.push(revision));
  const uncaught = new Promise<unknown>((resolve) => {
    const listeners = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.once("uncaughtException", (error) => {
      for (const listener of listeners) process.on("uncaughtException", listener);
      resolve(error);
    });
  });
  assert.equal((await session.notepad.append("kept")).revision, 2);
  assert.equal(((await uncaught) as Error).message, "a listener's own fault");
  assert.deepEqual(heard, [2]);
  assert.equal(await session.notepad.read(), "kept");
});
