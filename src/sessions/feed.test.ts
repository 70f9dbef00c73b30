import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openTestMemory } from "../../test/support/memory.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import type { JournalEntry } from "../index.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";

/** Collects until a number of them is there. */
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

test("a session's watcher hears every later entry in order, and nothing after it stops [journal.feed]", async () => {
  const memory = await openTestMemory();
  const session = await memory.createSession({ id: "s" });
  const other = await memory.createSession({ id: "other" });
  await session.notepad.write("before");
  const heard = collector<JournalEntry>();
  const stop = await session.watch(heard.add);
  await session.notepad.append("one");
  await other.notepad.write("not for us");
  await session.call("add_note", { content: "two" }, { actor: { kind: "person" } });
  await session.undo();
  await heard.reached(3);
  assert.deepEqual(
    heard.items.map(({ revision, operation }) => [revision, operation.type]),
    [
      [3, "notepad.append"],
      [4, "notes.add"],
      [5, "undo"],
    ],
  );
  stop();
  await session.notepad.append("unheard");
  await session.history();
  assert.equal(heard.items.length, 3);
});

test("a memory's watcher hears of every session of its owner [journal.feed]", async () => {
  const memory = await openTestMemory();
  const heard = collector<string>();
  const stop = await memory.watch(({ sessionId, revision }) => heard.add(`${sessionId}@${revision}`));
  const session = await memory.createSession({ id: "a" });
  await session.notepad.write("x");
  await memory.createSession({ id: "b" });
  await heard.reached(3);
  assert.deepEqual(heard.items, ["a@1", "a@2", "b@1"]);
  stop();
});

test("what another handle on the same file writes is heard too, all of it, in order [journal.feed]", async () => {
  const path = join(temporaryDirectory(), "memory.db");
  const open = async () => openTestMemory({ store: await sqliteStore({ path, pollMilliseconds: 5 }) });
  const [writer, reader] = [await open(), await open()];
  const session = await writer.createSession({ id: "s" });
  const heard = collector<number>();
  const stop = await (await reader.resumeSession("s")).watch(({ revision }) => heard.add(revision));
  for (let index = 0; index < 25; index++) await session.notepad.append(`${index}`);
  await heard.reached(25);
  assert.deepEqual(
    heard.items,
    Array.from({ length: 25 }, (_, index) => index + 2),
  );
  stop();
  await writer.close();
  await reader.close();
});
