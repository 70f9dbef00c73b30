import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openTestMemory, rejection } from "../../../test/support/memory.ts";
import { askPostgres, startPostgres } from "../../../test/support/postgres.ts";
import { startProgram } from "../../../test/support/processes.ts";
import { openStore } from "../open-store.ts";
import { Connections, endClient, importPg, openClient, parseServerAddress } from "./connections.ts";
import { channelOf } from "./feed.ts";
import { postgresStore } from "./postgres.ts";
import { migrate, migrations } from "./schema.ts";

const server = await startPostgres();
after(() => server.stop());

test("agent_sessions has a text column notepad, NULL until used, in Postgres too [stores.notepad-column] [stores.rows]", async (context) => {
  const url = await server.database();
  const memory = await openTestMemory({ store: url });
  context.after(() => memory.close());
  const session = await memory.createSession({ id: "a" });
  const [column] = await askPostgres(
    url,
    "SELECT data_type, is_nullable, column_default FROM information_schema.columns WHERE table_name = 'agent_sessions' AND column_name = 'notepad'",
  );
  assert.deepEqual(column, { data_type: "text", is_nullable: "YES", column_default: null });
  const stored = async () =>
    (await askPostgres(url, "SELECT notepad FROM agent_sessions WHERE id = 'a'"))[0]?.notepad;
  await session.notes.add("a note", ["x"]);
  assert.equal(await stored(), null);
  await session.notepad.append("- Sheet 1");
  assert.equal(await stored(), "- Sheet 1");
  for (let line = 2; line < 80; line++) {
    await session.notepad.append(`- Sheet ${line}: ${"é🦞".repeat((line * 7) % 60)}`);
    if (line % 19 === 0) assert.equal(await stored(), await session.notepad.read());
  }
  await session.notepad.replace("- Sheet 2:", "- Sheet two:");
  assert.equal(await stored(), await session.notepad.read());
  await session.notepad.write("");
  assert.equal(await stored(), "");
  await session.undo();
  assert.equal(await stored(), await session.notepad.read());
  assert.deepEqual(await askPostgres(url, "SELECT session_id, content FROM session_notes"), [
    { session_id: "a", content: "a note" },
  ]);
});

test("a database with foreign tables or a newer schema is not changed [bad.foreign] [bad.newer]", async () => {
  const foreign = await server.database();
  await askPostgres(foreign, "CREATE TABLE agent_sessions (name TEXT)");
  await rejection(postgresStore({ url: foreign }), "store_foreign");
  const names = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1";
  assert.deepEqual(await askPostgres(foreign, names), [{ tablename: "agent_sessions" }]);

  const newer = await server.database();
  await (await postgresStore({ url: newer })).close();
  await askPostgres(newer, "INSERT INTO holdfast_schema (version) VALUES (99)");
  const { message } = await rejection(postgresStore({ url: newer }), "store_newer");
  assert.match(message, /newer Holdfast \(schema 99; this version supports \d+\)\. Update holdfast/);
});

test("a new version of the schema is made once, by one of several processes, and all of it or nothing [stores.migrations]", async (context) => {
  const url = await server.database();
  const pg = await importPg();
  const connect = () => {
    const connections = new Connections(pg, parseServerAddress(url));
    context.after(() => connections.close());
    return connections;
  };
  const memory = await openTestMemory({ store: url });
  await (await memory.createSession({ id: "a" })).notepad.write("kept");
  await memory.close();
  const versions = "SELECT version FROM holdfast_schema ORDER BY 1";
  const addColumn = "ALTER TABLE agent_sessions ADD COLUMN color TEXT DEFAULT 'red'";

  const failing = [...migrations, `${addColumn}; SELECT 1 / 0`];
  assert.match((await rejection(migrate(connect(), failing), "store_failed")).message, /division by zero/);
  assert.deepEqual(await askPostgres(url, versions), [{ version: 1 }]);
  await (await postgresStore({ url })).close();

  const next = [...migrations, addColumn];
  await Promise.all([1, 2, 3, 4].map(() => migrate(connect(), next)));
  await migrate(connect(), next);
  assert.deepEqual(await askPostgres(url, versions), [{ version: 1 }, { version: 2 }]);
  assert.deepEqual(await askPostgres(url, "SELECT id, notepad, color FROM agent_sessions"), [
    { id: "a", notepad: "kept", color: "red" },
  ]);
  await rejection(postgresStore({ url }), "store_newer");
});

test("a process killed while it creates the tables leaves a database that the next one can use [stores.migrations]", async (context) => {
  const pg = await importPg();
  let killed = 0;
  for (let attempt = 0; killed < 3; attempt++) {
    assert.ok(attempt < 60, `${killed} of ${attempt} processes were killed in time`);
    const url = await server.database();
    const watcher = await openClient(pg, parseServerAddress(url));
    context.after(() => endClient(watcher));
    const opener = startProgram("opener.ts", [url]);
    let isOver = false;
    void opener.said(`opened ${url}`).then(
      () => (isOver = true),
      () => {},
    );
    // Kill it between the first statement and the last.
    const others =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    while (!isOver && (await watcher.query(others)).rows.length === 0);
    opener.process.kill("SIGKILL");
    await opener.ended;
    if (isOver) continue;
    killed++;
    const store = await openStore(url);
    assert.deepEqual(await store.sessions("ada", {}), []);
    await store.close();
  }
});

test("foreign notifications on our channel are ignored [journal.feed]", async (context) => {
  const url = await server.database();
  const memory = await openTestMemory({ store: url });
  context.after(() => memory.close());
  const session = await memory.createSession({ id: "a" });
  const received = new Promise<number>(
    (resolve) =>
      void session
        .watch(({ revision }) => resolve(revision))
        .then(async () => {
          for (const payload of [
            "",
            "null",
            "nonsense",
            "[]",
            '{"sessionId":"a"}',
            "2 1",
            "2.5 1 a",
            "-2 1 a",
            "two 1 a",
          ]) {
            await askPostgres(url, `SELECT pg_notify('${channelOf("local")}', '${payload}')`);
          }
          await session.notepad.append("real change");
        }),
  );
  assert.equal(await received, 2);
});
