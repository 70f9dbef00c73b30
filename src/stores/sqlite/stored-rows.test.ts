import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openTestMemory } from "../../../test/support/memory.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import type { Memory } from "../../index.ts";

async function open(): Promise<{ memory: Memory; database: DatabaseSync; path: string }> {
  const path = join(temporaryDirectory(), "memory.db");
  const memory = await openTestMemory({ store: path });
  return { memory, path, database: new DatabaseSync(path) };
}

/** Every row by table and key, with its rowid if it has one. */
function rowsOf(database: DatabaseSync): Map<string, string> {
  const rows = new Map<string, string>();
  const readTable = (table: string, key: string, columns: string) => {
    for (const row of database.prepare(`SELECT ${key} AS row_key, ${columns} FROM ${table}`).all()) {
      rows.set(`${table} ${row.row_key}`, JSON.stringify(row));
    }
  };
  readTable("agent_sessions", "id", "rowid, *");
  readTable("session_records", "session_id || ' ' || kind || ' ' || key || ' ' || to_revision", "rowid, *");
  readTable("session_journal", "session_id || ' ' || revision", "*");
  return rows;
}

test("agent_sessions has a text column notepad, NULL until used [stores.notepad-column]", async () => {
  const { memory, database } = await open();
  const column = database
    .prepare(
      "SELECT type, \"notnull\" AS required, dflt_value FROM pragma_table_info('agent_sessions') WHERE name = 'notepad'",
    )
    .get();
  assert.deepEqual({ ...column }, { type: "TEXT", required: 0, dflt_value: null });
  const session = await memory.createSession({ id: "a" });
  const stored = () => database.prepare("SELECT notepad FROM agent_sessions WHERE id = 'a'").get()?.notepad;
  assert.equal(stored(), null);
  await session.notes.add("not the notepad", []);
  await session.context();
  assert.equal(stored(), null);
  await session.notepad.append("- Sheet 1: 500 rows");
  assert.equal(stored(), "- Sheet 1: 500 rows");
  await session.notepad.write("");
  assert.equal(stored(), "");
  database.close();
  await memory.close();
});

test("spaces, refs, notes, tags, messages and the journal are rows, and views show them [stores.rows]", async () => {
  const { memory, database } = await open();
  const session = await memory.createSession({ id: "a" });
  await session.scratchpad.setPlan("plan");
  await session.scratchpad.appendNotes("notes");
  await session.scratchpad.addRef("src/a.ts");
  await session.notes.add("a note", ["x", "y"]);
  await session.apply({ type: "messages.add", messages: [{ role: "user" }, { role: "assistant" }] });
  const kinds = database
    .prepare(
      "SELECT kind, count(*) AS n FROM session_records WHERE session_id = 'a' GROUP BY kind ORDER BY kind",
    )
    .all();
  assert.deepEqual(
    kinds.map(({ kind, n }) => `${kind} ${n}`),
    ["message 2", "note 1", "ref 1", "space 2", "tag 2"],
  );
  assert.equal(
    database.prepare("SELECT count(*) AS n FROM session_journal WHERE session_id = 'a'").get()?.n,
    6,
  );
  assert.deepEqual(
    { ...database.prepare("SELECT session_id, owner, content, tags FROM session_notes").get() },
    {
      session_id: "a",
      owner: "local",
      content: "a note",
      tags: '["x","y"]',
    },
  );
  assert.equal(
    database.prepare("SELECT content FROM session_spaces WHERE space = 'plan'").get()?.content,
    "plan",
  );
  assert.equal(database.prepare("SELECT ref FROM session_refs").get()?.ref, "src/a.ts");
  assert.deepEqual(
    database
      .prepare("SELECT number, message FROM session_messages ORDER BY number")
      .all()
      .map((row) => ({ ...row })),
    [
      { number: 1, message: '{"role":"user"}' },
      { number: 2, message: '{"role":"assistant"}' },
    ],
  );
  database.close();
  await memory.close();
});

test("an edit writes its own rows and no others [stores.rows]", async () => {
  const { memory, database } = await open();
  await memory.createSession({ id: "bystander" });
  const session = await memory.createSession({ id: "a" });
  for (let count = 0; count < 50; count++) await session.notes.add(`note ${count}`, ["shared"]);
  const [newest] = await session.notes.all();
  const touchedBy = async (edit: () => Promise<unknown>) => {
    const before = rowsOf(database);
    await edit();
    const after = rowsOf(database);
    const names = new Set([...before.keys(), ...after.keys()]);
    return [...names]
      .filter((name) => before.get(name) !== after.get(name))
      .map((name) => name.replace(/ \d{16}$|\d+$/, "").replace(/note_\d+/, "note_"));
  };
  assert.deepEqual(await touchedBy(() => session.notepad.append("line")), [
    "agent_sessions a",
    "session_journal a ",
  ]);
  assert.deepEqual(
    await touchedBy(() => session.notes.update(newest?.id as string, { content: "new text" })),
    ["agent_sessions a", "session_records a note note_", "session_journal a "],
  );
  assert.deepEqual(await touchedBy(() => session.notes.add("one more", ["shared"])), [
    "agent_sessions a",
    "session_records a tag shared",
    "session_records a note note_",
    "session_journal a ",
  ]);
  assert.deepEqual(await touchedBy(() => session.scratchpad.setPlan("plan")), [
    "agent_sessions a",
    "session_records a space plan",
    "session_journal a ",
  ]);
  database.close();
  await memory.close();
});

test("an edit costs the same bytes with 10 and with 10,000 notes and entries [stores.rows]", async () => {
  const bytesPerEdit = async (size: number) => {
    const { memory, database, path } = await open();
    const session = await memory.importSession(grownSession(size));
    const [newest] = await session.notes.all();
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    for (let count = 0; count < 20; count++) {
      await session.notepad.append(`- line ${count}`);
      await session.notes.add("a note", ["tag3"]);
      await session.notes.update(newest?.id as string, { content: `edit ${count}` });
    }
    const bytes = statSync(`${path}-wal`).size / 60;
    database.close();
    await memory.close();
    return bytes;
  };
  const [few, many] = [await bytesPerEdit(10), await bytesPerEdit(10_000)];
  assert.ok(many < 2 * few, `${Math.round(few)} bytes with 10 notes, ${Math.round(many)} with 10,000`);
});

/** A session document with `size` notes and journal entries. */
function grownSession(size: number) {
  const at = Date.UTC(2025, 0, 1);
  const numbers = Array.from({ length: size }, (_, index) => index + 1);
  const note = (number: number) => ({
    content: `note ${number} ${"x".repeat(200)}`,
    tags: [`tag${number % 10}`],
    createdAt: at,
    updatedAt: at,
    updated: number,
  });
  return {
    format: "holdfast-session",
    version: 1,
    session: {
      id: "grown",
      agent: "default",
      title: null,
      parent: null,
      createdAt: at,
      updatedAt: at,
      revision: size,
    },
    notepad: "- a line",
    records: {
      note: Object.fromEntries(numbers.map((number) => [`note_${at + number}`, note(number)])),
      tag: Object.fromEntries(
        Array.from({ length: 10 }, (_, tag) => [`tag${tag}`, { name: `tag${tag}`, notes: size / 10 }]),
      ),
    },
    journal: numbers.map((revision) => ({
      revision,
      at,
      actor: { kind: "agent" },
      surface: "notes",
      operation: { type: "session.rename", title: null },
      changes: [],
      key: null,
      result: null,
    })),
  };
}

test("the newest sessions of an owner are read from an index, without sorting all [stores.list-by-index]", async (context) => {
  const path = join(temporaryDirectory(), "memory.db");
  const memory = await openTestMemory({ store: path });
  context.after(() => memory.close());
  for (const id of ["a", "b", "c"]) await memory.createSession({ id });
  const prepared = context.mock.method(DatabaseSync.prototype, "prepare");
  const first = await memory.listSessions({ limit: 2 });
  const after = first.at(-1);
  assert.ok(after);
  const rest = await memory.listSessions({ limit: 2, after });
  assert.equal(new Set([...first, ...rest].map(({ id }) => id)).size, 3);
  const lists = prepared.mock.calls
    .map(({ arguments: [sql] }) => sql)
    .filter((sql) => sql.includes("ORDER BY updated_at DESC"));
  assert.equal(lists.length, 2);
  const database = new DatabaseSync(path);
  for (const sql of lists) {
    const values = [...new Set(sql.match(/\?\d+/g))].map(() => "[]");
    const plan = database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...values)
      .map(({ detail }) => String(detail));
    assert.match(plan.join("\n"), /USING INDEX agent_sessions_listed/);
    assert.doesNotMatch(plan.join("\n"), /TEMP B-TREE/);
  }
  database.close();
});
