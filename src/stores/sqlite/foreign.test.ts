import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openTestMemory, rejection } from "../../../test/support/memory.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { fingerprint } from "../test-support/files.ts";
import { sqliteStore } from "./sqlite.ts";

/** A directory with what somebody else left there, and the path that is opened by mistake. */
function leave(write: (path: string) => void): { directory: string; path: string } {
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

test("a file that is no database is left alone [bad.foreign]", async () => {
  for (const content of [
    "hello",
    "# Notes\n".repeat(1_000),
    Buffer.alloc(8_192),
    "SQLite format 3\0 but not really",
  ]) {
    const { directory, path } = leave((file) => writeFileSync(file, content));
    const before = fingerprint(directory);
    const { message } = await rejection(sqliteStore({ path }), "store_foreign");
    assert.match(message, /not a database.*left as it is\. Name another file\./);
    assert.deepEqual(fingerprint(directory), before);
  }
});

test("somebody else's SQLite database is left alone, to the byte and to its journal mode [bad.foreign]", async () => {
  const schemas = [
    "CREATE TABLE users (name TEXT); INSERT INTO users VALUES ('ada')",
    // A table of the same name makes it none of ours; nor does a version or an id that others use.
    "CREATE TABLE agent_sessions (id TEXT, notepad TEXT)",
    "PRAGMA user_version = 1",
    "PRAGMA application_id = 252006674; CREATE TABLE a (b)",
  ];
  for (const sql of schemas) {
    const { directory, path } = leave((file) => withDatabase(file, sql));
    const before = fingerprint(directory);
    await rejection(sqliteStore({ path }), "store_foreign");
    assert.deepEqual(fingerprint(directory), before, sql);
  }
});

test("somebody else's database is not tidied up either: its write-ahead log stays [bad.foreign]", async () => {
  const source = temporaryDirectory();
  const live = new DatabaseSync(join(source, "theirs.db"));
  live.exec("PRAGMA journal_mode = WAL; CREATE TABLE users (name TEXT); INSERT INTO users VALUES ('ada')");
  // As it would lie there after their process was killed.
  const { directory, path } = leave((file) =>
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

test("a directory in the place of the file is a typed error [bad.foreign]", async () => {
  const { path } = leave((file) => void mkdirSync(file));
  await rejection(sqliteStore({ path }), "store_failed");
});

test("a database of a newer schema is left alone [bad.newer]", async () => {
  const { directory, path } = leave(() => {});
  const memory = await openTestMemory({ store: path });
  await (await memory.createSession({ id: "a" })).notepad.write("from the future");
  await memory.close();
  withDatabase(path, "PRAGMA user_version = 99; CREATE TABLE epochs (id TEXT)");
  const before = fingerprint(directory);
  const error = await rejection(sqliteStore({ path }), "store_newer");
  assert.match(
    error.message,
    /written by a newer Holdfast \(schema 99; this one knows \d+\)\. Update holdfast/,
  );
  assert.equal(error.data.schema, 99);
  assert.deepEqual(fingerprint(directory), before);
});

test("an empty file is taken as a new database, as SQLite itself does [bad.foreign]", async () => {
  const { path } = leave((file) => writeFileSync(file, ""));
  const store = await sqliteStore({ path });
  assert.deepEqual(await store.sessions("local", {}), []);
  await store.close();
  assert.ok(existsSync(path));
});
