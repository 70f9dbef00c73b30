import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { mock, test } from "node:test";
import { rejection } from "../../../test/support/memory.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { openStore } from "../open-store.ts";
import type { Store } from "../store.ts";
import { sqliteStore } from "./sqlite.ts";

const modes = { 1: "normal", 2: "full" } as Record<number, string>;

/** The settings of a store's connection. */
async function settingsOf(
  open: () => Promise<Store>,
): Promise<{ journal: unknown; synchronous: string | undefined }> {
  const exec = mock.method(DatabaseSync.prototype, "exec");
  const store = await open();
  const connection = exec.mock.calls.at(-1)?.this as DatabaseSync;
  mock.restoreAll();
  const { journal_mode } = connection.prepare("PRAGMA journal_mode").get() as { journal_mode: string };
  const { synchronous } = connection.prepare("PRAGMA synchronous").get() as { synchronous: number };
  await store.close();
  return { journal: journal_mode, synchronous: modes[synchronous] };
}

test("SQLite uses WAL with synchronous=FULL, in new and existing files [stores.synchronous]", async () => {
  const path = join(temporaryDirectory(), "memory.db");
  for (const open of [
    () => sqliteStore({ path }),
    () => openStore(path),
    () => openStore(`sqlite:${path}`),
  ]) {
    assert.deepEqual(await settingsOf(open), { journal: "wal", synchronous: "full" });
  }
});

test("a weaker mode applies only to the store that was opened with it [stores.synchronous]", async () => {
  const path = join(temporaryDirectory(), "memory.db");
  assert.equal((await settingsOf(() => sqliteStore({ path, synchronous: "normal" }))).synchronous, "normal");
  assert.equal(
    (await settingsOf(() => openStore(`sqlite:${path}?synchronous=normal`))).synchronous,
    "normal",
  );
  assert.equal((await settingsOf(() => openStore(`sqlite:${path}?synchronous=full`))).synchronous, "full");
  assert.equal((await settingsOf(() => openStore(path))).synchronous, "full");
});

test("an unsafe mode is rejected with the list of valid modes [stores.synchronous]", async () => {
  const path = join(temporaryDirectory(), "memory.db");
  for (const query of [
    "synchronous=off",
    "synchronous=0",
    "synchronous=",
    "synchronous=normal&journal=off",
    "",
  ]) {
    const { message } = await rejection(openStore(`sqlite:${path}?${query}`), "invalid_input");
    assert.match(message, /synchronous=full or synchronous=normal/);
  }
});
