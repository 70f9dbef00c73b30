import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { holdfast } from "../../../test/support/command-line.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { openMemory } from "../../index.ts";

test("archive makes a session read-only until it is reopened [config.archive]", async () => {
  const db = join(temporaryDirectory(), "memory.db");
  const memory = await openMemory({ store: db });
  const session = await memory.createSession({ id: "audit" });
  await session.notepad.write("kept");
  assert.match((await holdfast("archive", "audit", "--db", db)).stdout, /read-only now/);
  const refused = await session.call("update_notepad", { operation: "append", content: "more" });
  assert.ok(!refused.ok && refused.code === "store_read_only", refused.text);
  assert.match(refused.text, /holdfast archive audit --reopen/);
  assert.equal(await session.notepad.read(), "kept");
  const fork = await memory.forkSession("audit");
  await fork.notepad.append("in the fork");
  assert.equal((await holdfast("archive", "audit", "--reopen", "--db", db)).code, 0);
  await session.notepad.append("more");
  assert.equal(await session.notepad.read(), "kept\nmore");
  await memory.close();
});
