import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTestMemory } from "../../../test/support/memory.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";

test("a purged session leaves no text in the file or its write-ahead log [stores.purge-leaves-nothing]", async () => {
  const path = join(temporaryDirectory(), "memory.db");
  const memory = await openTestMemory({ store: path });
  const session = await memory.createSession({ id: "a" });
  const secret = "SECRET-4711-";
  await session.notepad.write(secret.repeat(500));
  for (let note = 0; note < 20; note++) await session.notes.add(`${secret}${note}`, [`${secret}tag`]);
  await session.apply({ type: "messages.add", messages: [{ role: "user", content: secret }] });
  await session.calls.record([{ hash: "h", part: "history", role: "user", tokens: 1, text: secret }], {}, 0);
  const found = () =>
    [path, `${path}-wal`].filter((file) => existsSync(file) && readFileSync(file).includes(secret));
  assert.notDeepEqual(found(), []);
  await memory.purgeSession("a");
  assert.deepEqual(found(), []);
  await (await memory.createSession({ id: "b" })).notepad.write("still writable");
  await memory.close();
  assert.deepEqual(found(), []);
});
