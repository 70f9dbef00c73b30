import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { everyStore } from "../../test/support/every-store.ts";
import { openTestMemory } from "../../test/support/memory.ts";
import { startWriter } from "../../test/support/processes.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import type { JournalEntry } from "../index.ts";
import { sqliteStore } from "./sqlite/sqlite.ts";

const operations = 60;

test("a watcher gets every entry of other processes live, once and in order, in SQLite and Postgres [journal.feed]", async (context) => {
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

test("a watcher of a SQLite store reads the changed sessions only [stores.watch-changes]", async (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  /** CPU milliseconds of a hundred polls, each after a commit by another handle, in a store of this many sessions. */
  const cost = async (sessions: number) => {
    const directory = temporaryDirectory();
    const open = () => sqliteStore({ path: join(directory, "memory.db"), synchronous: "normal" });
    const writer = await openTestMemory({ store: await open() });
    await writer.createSession({ id: "s0" });
    for (let number = 1; number < sessions; number++) await writer.createSession({ id: `s${number}` });
    const watcher = await openTestMemory({ store: await open() });
    let received = 0;
    const stop = await watcher.watch(() => received++);
    const session = await writer.resumeSession("s0");
    const before = process.cpuUsage();
    for (let round = 0; round < 100; round++) {
      await session.notepad.append(".");
      context.mock.timers.tick(100);
    }
    const { user, system } = process.cpuUsage(before);
    assert.equal(received, 100);
    stop();
    await watcher.close();
    await writer.close();
    return (user + system) / 1_000;
  };
  await cost(10);
  const [few, many] = [await cost(10), await cost(3_000)];
  assert.ok(many < few * 3 + 100, `${few} ms with 10 sessions, ${many} ms with 3,000`);
});
