import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, mock, test } from "node:test";
import pg from "pg";
import { openTestMemory, rejection } from "../../../test/support/memory.ts";
import { askPostgres, startPostgres } from "../../../test/support/postgres.ts";
import { storeContract } from "../../testing/store-contract.ts";
import { postgresStore } from "./postgres.ts";

const server = await startPostgres();
after(() => server.stop());

const tables = /\b(agent_sessions|session_records|session_journal)\b/;
const session = String.raw`(?:\$1|the_session)`;
/** A condition that starts with the session id, or an INSERT whose first value is the session id. */
const namesSessionFirst = new RegExp(
  String.raw`WHERE (?:\w+\.)?(?:id|session_id) = ${session}|INSERT INTO \w+\s*\((?:id|session_id),[^)]*\)\s*(?:VALUES \(|SELECT )${session}`,
);

/** Statements on session data that do not start with the session id. */
function unscoped(statements: Iterable<string>): string[] {
  return [...statements].filter((statement) => {
    const uses = [...statement.matchAll(new RegExp(tables, "g"))].length;
    const named = [...statement.matchAll(new RegExp(namesSessionFirst, "g"))].length;
    return uses > 0 && named < uses;
  });
}

test("every statement names the session id first, and the owner; only the session list has no session id [stores.session-first] [stores.owner]", async () => {
  const sent = mock.method(pg.Client.prototype, "query");
  for (const { run } of storeContract) {
    const url = await server.database();
    await run({ open: () => postgresStore({ url }), durable: true });
  }
  const statements = new Set(
    sent.mock.calls.map(({ arguments: [query] }) => {
      const text = typeof query === "string" ? query : (query as { text: string }).text;
      return text.replace(/\s+/g, " ").trim();
    }),
  );
  mock.restoreAll();
  const onData = [...statements].filter(
    (text) => tables.test(text) && !/CREATE TABLE|to_regclass/.test(text),
  );
  assert.ok(onData.length >= 15, `${onData.length} statements were seen`);
  assert.ok(
    statements.has([...statements].find((text) => text.startsWith("SELECT holdfast_commit($1, $2")) ?? ""),
  );
  const listing = /^SELECT id, owner, agent, title, .* FROM agent_sessions WHERE owner = \$1 AND/;
  assert.deepEqual(
    unscoped(onData).filter((text) => !listing.test(text)),
    [],
  );
  const owned = /\bowner = \$\d|^INSERT INTO \w+ \([^)]*\bowner\b/;
  assert.deepEqual(
    onData.filter((text) => !owned.test(text)),
    [],
  );
  // Counter-check: the pattern does find unscoped statements.
  assert.equal(unscoped(onData).length, 1);
  assert.equal(unscoped(["DELETE FROM session_records WHERE owner = $1 AND session_id = $2"]).length, 1);
});

test("every statement inside the commit function names the session id first [stores.session-first]", async () => {
  const url = await server.database();
  await (await postgresStore({ url })).close();
  const [row] = await askPostgres(url, "SELECT prosrc FROM pg_proc WHERE proname = 'holdfast_commit'");
  const statements = String(row?.prosrc).replace(/--.*$/gm, "").replace(/\s+/g, " ").split(";");
  assert.equal(statements.filter((text) => tables.test(text)).length, 6);
  assert.deepEqual(unscoped(statements), []);
});

test("the feed's catch-up after a reconnect is the only other query across sessions [stores.session-first]", () => {
  const source = readFileSync(join(import.meta.dirname, "feed.ts"), "utf8");
  const onData = source
    .split("\n")
    .filter((line) => tables.test(line))
    .map((line) => /'([^']+)'/.exec(line)?.[1]);
  assert.deepEqual(onData, ['SELECT owner, id AS "sessionId", revision FROM agent_sessions']);
});

test("every table can be sharded by session: its primary key starts with the session id [stores.session-first]", async () => {
  const url = await server.database();
  await (await postgresStore({ url })).close();
  const keys = await askPostgres(
    url,
    `SELECT conrelid::regclass::text AS table_name, attname AS first_column FROM pg_constraint
     JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
     WHERE contype = 'p' AND connamespace = 'public'::regnamespace ORDER BY 1`,
  );
  assert.deepEqual(
    keys.map(({ table_name, first_column }) => `${table_name} ${first_column}`),
    [
      "agent_sessions id",
      "ledger_calls session_id",
      "ledger_pieces session_id",
      "session_journal session_id",
      "session_records session_id",
    ],
  );
});

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
            '{"owner":1,"sessionId":2,"revision":"x"}',
          ]) {
            await askPostgres(url, `SELECT pg_notify('holdfast', '${payload}')`);
          }
          await session.notepad.append("real change");
        }),
  );
  assert.equal(await received, 2);
});
