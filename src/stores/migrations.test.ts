import assert from "node:assert/strict";
import { copyFileSync, existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openTestMemory } from "../../test/support/memory.ts";
import { startProgram } from "../../test/support/processes.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import type { Memory } from "../index.ts";
import { openStore } from "./open-store.ts";

const fixtures = join(import.meta.dirname, "fixtures");
const versionsOf = (pattern: string) =>
  globSync(pattern, { cwd: fixtures })
    .sort()
    .map((name) => join(fixtures, name));

/** Checks the content, which is the same in every fixture, and that the store is writable. */
async function assertFixture(store: string): Promise<void> {
  const memory: Memory = await openTestMemory({ store, owner: "ada" });
  try {
    const session = await memory.resumeSession("audit");
    assert.equal(await session.notepad.read(), "- Sheet 1: 500 rows\n- Sheet 2: 20 rows");
    assert.deepEqual(
      (await session.notes.all()).map(({ content, tags }) => ({ content, tags })),
      [{ content: "changed after the fork", tags: ["Finance", "Q3"] }],
    );
    assert.deepEqual(await session.scratchpad.read(), {
      notes: "",
      plan: "1. read\n2. check",
      refs: ["src/a.ts"],
    });
    assert.deepEqual(await session.messages(), [{ role: "user", content: "hello" }]);
    assert.equal((await session.history()).length, 9);
    assert.equal(
      (await session.notes.add("kept as it was", ["Finance", "Q3"], { key: "key-1" })).repeated,
      true,
    );
    const fork = await memory.resumeSession("audit-fork");
    assert.deepEqual(
      (await fork.notes.all()).map(({ content }) => content),
      ["kept as it was"],
    );
    assert.deepEqual(
      (await memory.listSessions({ status: "all" })).map(({ id, status, title }) => [id, status, title]),
      [
        ["unused", "archived", null],
        ["audit", "active", "Prüfung 🦞"],
        ["audit-fork", "active", "Prüfung 🦞"],
      ],
    );
    await session.undo();
    await session.notes.add("written by this version", ["finance"]);
    assert.equal((await session.state()).row.revision, 11);
  } finally {
    await memory.close();
  }
}

function pragmaOf(path: string, name: string): unknown {
  const database = new DatabaseSync(path);
  const value = Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  database.close();
  return value;
}

function schemaOf(path: string): unknown[] {
  const database = new DatabaseSync(path);
  const schema = database.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all();
  database.close();
  return schema.map(({ type, name, sql }) => ({ type, name, sql: String(sql).replace(/\s+/g, " ") }));
}

test("a SQLite database of every past schema is upgraded to the schema of a new one [stores.migrations]", async () => {
  const fresh = join(temporaryDirectory(), "fresh.db");
  await (await openStore(fresh)).close();
  const found = versionsOf("sqlite-schema-*.sql");
  assert.equal(found.length, pragmaOf(fresh, "user_version"), "a schema version has no fixture");
  for (const fixture of found) {
    const path = join(temporaryDirectory(), "old.db");
    const database = new DatabaseSync(path);
    database.exec(readFileSync(fixture, "utf8"));
    database.close();
    await assertFixture(path);
    assert.deepEqual(schemaOf(path), schemaOf(fresh), basename(fixture));
  }
});

test("JSONL files of every past version can be read and written [stores.migrations]", async () => {
  const found = versionsOf("jsonl-version-*.audit.jsonl");
  assert.ok(found.length >= 1);
  for (const fixture of found) {
    const directory = temporaryDirectory();
    for (const id of ["audit", "audit-fork", "unused"])
      copyFileSync(fixture.replace(/audit\.jsonl$/, `${id}.jsonl`), join(directory, `${id}.jsonl`));
    await assertFixture(`jsonl:${directory}`);
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
      assert.equal(pragmaOf(path, "integrity_check"), "ok");
    }
  }
  context.diagnostic(`12 kills, ${midway} of them while a file was being created`);
});

test("an uncommitted half of a schema on disk is ignored [stores.migrations]", async () => {
  const schema = readFileSync(join(fixtures, "sqlite-schema-1.sql"), "utf8");
  for (const commits of [false, true]) {
    const path = join(temporaryDirectory(), "memory.db");
    const { signal, errors } = await startProgram("half-migration.ts", { path, schema, commits }).ended;
    assert.equal(signal, "SIGKILL", errors);
    assert.ok(existsSync(`${path}-wal`));
    if (commits) await assertFixture(path);
    else {
      const store = await openStore(path);
      assert.deepEqual(await store.sessions("ada", {}), []);
      await store.close();
    }
  }
});
