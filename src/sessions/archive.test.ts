import assert from "node:assert/strict";
import { test } from "node:test";
import { openMemory } from "../index.ts";

test("an archived session is read-only until it is restored, and can be forked [config.archive]", async () => {
  const memory = await openMemory({ store: "memory:" });
  const session = await memory.createSession({ id: "audit" });
  await session.notepad.write("kept");
  await memory.archiveSession("audit");
  const refused = await session.call("update_notepad", { operation: "append", content: "more" });
  assert.ok(!refused.ok && refused.code === "store_read_only", refused.text);
  assert.match(refused.text, /Restore it first: in "holdfast serve", or with memory\.restoreSession\./);
  assert.equal(await session.notepad.read(), "kept");
  const fork = await memory.forkSession("audit");
  await fork.notepad.append("in the fork");
  await memory.restoreSession("audit");
  await session.notepad.append("more");
  assert.equal(await session.notepad.read(), "kept\nmore");
  await memory.close();
});
