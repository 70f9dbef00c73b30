import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openTestMemory, rejection } from "../../../test/support/memory.ts";
import { askPostgres, startPostgres } from "../../../test/support/postgres.ts";
import { channelOf } from "./announcer.ts";
import { postgresStore } from "./postgres.ts";

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
  // Appends are stored in parts; the column shows the whole text at every size.
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
            '[["a"],[1,2,3],["a","2",1],null,["a",2.5,1]]',
          ]) {
            await askPostgres(url, `SELECT pg_notify('${channelOf("local")}', '${payload}')`);
          }
          await session.notepad.append("real change");
        }),
  );
  assert.equal(await received, 2);
});
