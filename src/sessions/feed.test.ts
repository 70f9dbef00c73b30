import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openTestMemory } from "../../test/support/memory.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import type { JournalEntry } from "../index.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";

/** Collects items; `reached` waits for a number of them. */
function collector<T>(): { add(item: T): void; items: T[]; reached(count: number): Promise<void> } {
  const items: T[] = [];
  let wake = () => {};
  return {
    items,
    add(item) {
      items.push(item);
      wake();
    },
    async reached(count) {
      while (items.length < count) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}

test("a session's watcher gets every later entry in order, and none after it stops [journal.feed]", async () => {
  const memory = await openTestMemory();
  const session = await memory.createSession({ id: "s" });
  const other = await memory.createSession({ id: "other" });
  await session.notepad.write("before");
  const received = collector<JournalEntry>();
  const stop = await session.watch(received.add);
  await session.notepad.append("one");
  await other.notepad.write("not for us");
  await session.call("add_note", { content: "two" }, { actor: { kind: "person" } });
  await session.undo();
  await received.reached(3);
  assert.deepEqual(
    received.items.map(({ revision, operation }) => [revision, operation.type]),
    [
      [3, "notepad.append"],
      [4, "notes.add"],
      [5, "undo"],
    ],
  );
  stop();
  await session.notepad.append("after stop");
  await session.history();
  assert.equal(received.items.length, 3);
});

test("a memory's watcher is notified of commits to every session of its owner [journal.feed]", async () => {
  const memory = await openTestMemory();
  const received = collector<string>();
  const stop = await memory.watch(({ sessionId, revision }) => received.add(`${sessionId}@${revision}`));
  const session = await memory.createSession({ id: "a" });
  await session.notepad.write("x");
  await memory.createSession({ id: "b" });
  await received.reached(3);
  assert.deepEqual(received.items, ["a@1", "a@2", "b@1"]);
  stop();
});

test("a watcher also gets every entry that another handle on the same file writes, in order [journal.feed]", async () => {
  const path = join(temporaryDirectory(), "memory.db");
  const open = async () => openTestMemory({ store: await sqliteStore({ path }) });
  const [writer, reader] = [await open(), await open()];
  const session = await writer.createSession({ id: "s" });
  const received = collector<number>();
  const stop = await (await reader.resumeSession("s")).watch(({ revision }) => received.add(revision));
  for (let index = 0; index < 25; index++) await session.notepad.append(`${index}`);
  await received.reached(25);
  assert.deepEqual(
    received.items,
    Array.from({ length: 25 }, (_, index) => index + 2),
  );
  stop();
  await writer.close();
  await reader.close();
});
