import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openTestMemory } from "../../../test/support/memory.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { changesAfter, lastChange } from "./feed.ts";
import { sqliteStore } from "./sqlite.ts";

test("a watcher that has missed more changes than are kept looks at every session [stores.watch-changes]", async (context) => {
  const path = join(temporaryDirectory(), "memory.db");
  const memory = await openTestMemory({ store: await sqliteStore({ path, synchronous: "normal" }) });
  context.after(() => memory.close());
  const [rare, often] = [
    await memory.createSession({ id: "rare" }),
    await memory.createSession({ id: "often" }),
  ];
  await rare.notepad.append("- a line");
  const database = new DatabaseSync(path);
  context.after(() => database.close());
  assert.equal(lastChange(database), 3);
  for (let count = 0; count < 1_100; count++) await often.notepad.append(".");
  const kept = database.prepare("SELECT count(*) AS n FROM store_changes").get()?.n;
  assert.ok(Number(kept) >= 1_000 && Number(kept) <= 1_100, `${kept} kept`);
  const all = [
    { owner: "local", sessionId: "rare", revision: 2 },
    { owner: "local", sessionId: "often", revision: 1_101 },
  ];
  assert.deepEqual(changesAfter(database, 1), { changes: all, last: 1_103 });
  assert.deepEqual(changesAfter(database, 1_000), { changes: all.slice(1), last: 1_103 });
  assert.deepEqual(changesAfter(database, 1_103), { changes: [], last: 1_103 });
  await memory.purgeSession("often");
  assert.deepEqual(changesAfter(database, 1_000), { changes: [], last: 1_103 });
  await rare.notepad.append("- another");
  assert.deepEqual(changesAfter(database, 1_103).changes, [{ ...all[0], revision: 3 }]);
});

test("an edit that keeps the length of a long notepad logs the pages that differ, not the notepad [stores.few-pages]", async (context) => {
  const path = join(temporaryDirectory(), "memory.db");
  const memory = await openTestMemory({ store: path });
  context.after(() => memory.close());
  const session = await memory.createSession();
  await session.notepad.write(`${"x".repeat(29_000)} v10.`);
  const database = new DatabaseSync(path);
  context.after(() => database.close());
  const pages: number[] = [];
  for (let version = 10; version < 40; version++) {
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    await session.notepad.replace(`v${version}.`, `v${version + 1}.`);
    pages.push((statSync(`${path}-wal`).size - 32) / (4_096 + 24));
  }
  const middle = pages.toSorted((a, b) => a - b)[Math.floor(pages.length * 0.8)];
  assert.ok(Number(middle) <= 6, `pages of each edit: ${pages}`);
});
