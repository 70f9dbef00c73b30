import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openTestMemory, rejection } from "../../../test/support/memory.ts";
import { startProgram } from "../../../test/support/processes.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { isHoldfastError } from "../../index.ts";
import { checkIntegrity } from "../test-support/check-integrity.ts";
import { isCurrentAtomically, migrations, prepareSchema, warningOfVersion } from "./open-database.ts";
import { sqliteStore } from "./sqlite.ts";

test("a SQLite version with a known bug causes a warning [stores.sqlite-version]", () => {
  for (const version of ["3.51.2", "3.47.2", "3.9.0", "2.99.99"])
    assert.match(warningOfVersion(version) ?? "", /newer Node/);
  for (const version of ["3.51.3", "3.52.0", "3.53.4", "4.0.0"])
    assert.equal(warningOfVersion(version), undefined);
});

/** A made-up version 2. It fails if it runs twice, and it is larger than the cache of a half migration. */
const step = `
  ALTER TABLE agent_sessions ADD COLUMN mood TEXT;
  CREATE TABLE moods (name TEXT NOT NULL) STRICT;
  WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000)
    INSERT INTO moods SELECT printf('%.500c', 'm') FROM numbers;
`;
const version2 = [...migrations, step];

/** A closed database of version 1 with a session in it. */
async function writeVersion1(): Promise<string> {
  const path = join(temporaryDirectory(), "memory.db");
  const memory = await openTestMemory({ store: path });
  await (await memory.createSession({ id: "a" })).notepad.write("kept");
  await memory.close();
  return path;
}

async function assertVersion1(path: string): Promise<void> {
  assert.equal(readValue(path, "PRAGMA user_version"), 1);
  assert.equal(readValue(path, "SELECT count(*) FROM sqlite_schema WHERE name = 'moods'"), 0);
  const memory = await openTestMemory({ store: path });
  const session = await memory.resumeSession("a");
  await session.notepad.append("and written");
  assert.equal(await session.notepad.read(), "kept\nand written");
  await memory.close();
  checkIntegrity(path);
}

function withDatabase<T>(path: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

function readValue(path: string, sql: string): unknown {
  return withDatabase(path, (database) => Object.values(database.prepare(sql).get() ?? {})[0]);
}

test("a new version is reached in one transaction and once, and this version refuses it then [stores.migrations] [bad.newer]", async () => {
  const path = await writeVersion1();
  for (let round = 0; round < 2; round++)
    withDatabase(path, (database) => prepareSchema(database, path, true, version2));
  assert.equal(readValue(path, "PRAGMA user_version"), 2);
  assert.equal(readValue(path, "SELECT count(*) FROM moods"), 2_000);
  assert.equal(readValue(path, "SELECT notepad FROM agent_sessions WHERE id = 'a'"), "kept");
  const { message } = await rejection(sqliteStore({ path }), "store_newer");
  assert.match(
    message,
    /written by a newer Holdfast \(schema 2; this version supports 1\)\. Update holdfast/,
  );
});

test("a new database gets every step, and a process that waited for the lock does not repeat them [stores.migrations]", () => {
  const path = join(temporaryDirectory(), "memory.db");
  withDatabase(path, (database) => prepareSchema(database, path, true, version2));
  assert.equal(readValue(path, "PRAGMA user_version"), 2);
  const late = join(temporaryDirectory(), "memory.db");
  withDatabase(late, (first) =>
    withDatabase(late, (second) => {
      first.exec("PRAGMA journal_mode = WAL");
      let isFirst = true;
      const waiting = new Proxy(second, {
        get(target, name) {
          const value = Reflect.get(target, name) as unknown;
          if (typeof value !== "function") return value;
          return (...args: unknown[]) => {
            // The other process has the lock first.
            if (args[0] === "BEGIN IMMEDIATE" && isFirst) {
              isFirst = false;
              prepareSchema(first, late, true, version2);
            }
            return (value as (...args: unknown[]) => unknown).apply(target, args);
          };
        },
      });
      prepareSchema(waiting, late, true, version2);
      assert.ok(!isFirst);
    }),
  );
  assert.equal(readValue(late, "SELECT count(*) FROM moods"), 2_000);
});

test("a step that fails, or a file that is not writable, leaves version 1 [stores.migrations]", async () => {
  const path = await writeVersion1();
  withDatabase(path, (database) => {
    assert.throws(() =>
      prepareSchema(database, path, true, [...migrations, `${step} SELECT nothing FROM nowhere;`]),
    );
    assert.throws(
      () => prepareSchema(database, path, false, version2),
      (error) => isHoldfastError(error) && error.code === "store_read_only",
    );
  });
  await assertVersion1(path);
});

test("a process killed in the middle of a migration leaves version 1 [stores.migrations]", async () => {
  for (const commits of [false, true]) {
    const path = await writeVersion1();
    const sql = `${step} PRAGMA user_version = 2;`;
    const { signal, errors } = await startProgram("half-migration.ts", { path, sql, commits }).ended;
    assert.equal(signal, "SIGKILL", errors);
    assert.ok(existsSync(`${path}-wal`));
    if (commits) await rejection(sqliteStore({ path }), "store_newer");
    else await assertVersion1(path);
  }
});

test("a process killed while creating the schema leaves a file that the next one can use [stores.migrations]", async (context) => {
  let midway = 0;
  for (let round = 0; round < 12; round++) {
    const directory = temporaryDirectory();
    const paths = Array.from({ length: 200 }, (_, index) => join(directory, `${index}.db`));
    const opener = startProgram("opener.ts", paths);
    let opened = 0;
    opener.onLine((line) => {
      if (line.startsWith("opened") && ++opened > 5 + round) opener.process.kill("SIGKILL");
    });
    const { signal } = await opener.ended;
    assert.equal(signal, "SIGKILL");
    const last = opener.lines.at(-1)?.replace(/^open(?:ing|ed) /, "") as string;
    if (opener.lines.at(-1)?.startsWith("opening")) midway++;
    const next = paths[paths.indexOf(last) + 1] as string;
    for (const path of [last, ...(existsSync(next) ? [next] : [])]) {
      const memory = await openTestMemory({ store: path });
      await (await memory.createSession({ id: "a" })).notepad.append("fine");
      await memory.close();
      checkIntegrity(path);
    }
  }
  context.diagnostic(`12 kills, ${midway} of them while a file was being created`);
});

test("a schema that another process is creating is not mistaken for a foreign one [stores.schema-race]", () => {
  const path = join(temporaryDirectory(), "memory.db");
  const other = new DatabaseSync(path);
  other.exec("PRAGMA journal_mode = WAL");
  const own = new DatabaseSync(path);
  let made = false;
  const slow = new Proxy(own, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (name === "prepare" && String(args[0]).includes("sqlite_schema") && !made) {
          made = true;
          prepareSchema(other, path, true);
        }
        return (value as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  assert.equal(isCurrentAtomically(slow, path), false);
  assert.ok(made);
  assert.equal(isCurrentAtomically(own, path), true);
  own.close();
  other.close();
});
