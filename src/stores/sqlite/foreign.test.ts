import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openTestMemory, rejection } from "../../../test/support/memory.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { fingerprint } from "../test-support/files.ts";
import { sqliteStore } from "./sqlite.ts";

/** A directory with a foreign file, which the test opens by mistake. */
function foreignFile(write: (path: string) => void): { directory: string; path: string } {
  const directory = temporaryDirectory();
  const path = join(directory, "theirs.db");
  write(path);
  return { directory, path };
}

function withDatabase(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

test("a file that is not a database is not changed [bad.foreign]", async () => {
  for (const content of [
    "hello",
    "# Notes\n".repeat(1_000),
    Buffer.alloc(8_192),
    "SQLite format 3\0 but not really",
  ]) {
    const { directory, path } = foreignFile((file) => writeFileSync(file, content));
    const before = fingerprint(directory);
    const { message } = await rejection(sqliteStore({ path }), "store_foreign");
    assert.match(message, /not a database.*was not changed\. Use another file\./);
    assert.deepEqual(fingerprint(directory), before);
  }
});

test("a foreign SQLite database is not changed, not even its journal mode [bad.foreign]", async () => {
  const schemas = [
    "CREATE TABLE users (name TEXT); INSERT INTO users VALUES ('ada')",
    // Neither a table of the same name nor a version or foreign application id makes it ours.
    "CREATE TABLE agent_sessions (id TEXT, notepad TEXT)",
    "PRAGMA user_version = 1",
    "PRAGMA application_id = 252006674; CREATE TABLE a (b)",
  ];
  for (const sql of schemas) {
    const { directory, path } = foreignFile((file) => withDatabase(file, sql));
    const before = fingerprint(directory);
    await rejection(sqliteStore({ path }), "store_foreign");
    assert.deepEqual(fingerprint(directory), before, sql);
  }
});

test("the write-ahead log of a foreign database is not checkpointed [bad.foreign]", async () => {
  const source = temporaryDirectory();
  const live = new DatabaseSync(join(source, "theirs.db"));
  live.exec("PRAGMA journal_mode = WAL; CREATE TABLE users (name TEXT); INSERT INTO users VALUES ('ada')");
  // As left by a killed process.
  const { directory, path } = foreignFile((file) =>
    ["", "-wal"].forEach((end) => void copyFileSync(join(source, `theirs.db${end}`), `${file}${end}`)),
  );
  live.close();
  const before = fingerprint(directory);
  await rejection(sqliteStore({ path }), "store_foreign");
  assert.deepEqual(
    fingerprint(directory).filter((file) => !file.startsWith("theirs.db-shm")),
    before,
  );
});

test("a directory instead of the file is a typed error [bad.foreign]", async () => {
  const { path } = foreignFile((file) => void mkdirSync(file));
  const { message } = await rejection(sqliteStore({ path }), "store_foreign");
  assert.match(message, /is not a regular file\. Use another file\.$/);
});

test("a database with a newer schema is not changed [bad.newer]", async () => {
  const { directory, path } = foreignFile(() => {});
  const memory = await openTestMemory({ store: path });
  await (await memory.createSession({ id: "a" })).notepad.write("from the future");
  await memory.close();
  withDatabase(path, "PRAGMA user_version = 99; CREATE TABLE epochs (id TEXT)");
  const before = fingerprint(directory);
  const error = await rejection(sqliteStore({ path }), "store_newer");
  assert.match(
    error.message,
    /written by a newer Holdfast \(schema 99; this version supports \d+\)\. Update holdfast/,
  );
  assert.equal(error.data.schema, 99);
  assert.deepEqual(fingerprint(directory), before);
});

test("an empty file is a new database, as in SQLite itself [bad.foreign]", async () => {
  const { path } = foreignFile((file) => writeFileSync(file, ""));
  const store = await sqliteStore({ path });
  assert.deepEqual(await store.sessions("local", {}), []);
  await store.close();
  assert.ok(existsSync(path));
});
