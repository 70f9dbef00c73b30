import assert from "node:assert/strict";
import { after, mock, test } from "node:test";
import { loadModule } from "libpg-query";
import pg from "pg";
import { openTestMemory } from "../../../test/support/memory.ts";
import { askPostgres, startPostgres } from "../../../test/support/postgres.ts";
import { testContract } from "../test-support/contract.ts";
import { postgresStore } from "./postgres.ts";
import { statementsIn, tablesIn, violationsOf } from "./test-support/statement-rules.ts";

const server = await startPostgres();
after(() => server.stop());
await loadModule();
const sent = mock.method(pg.Client.prototype, "query");

testContract("postgres", async () => {
  const url = await server.database();
  // Stores with the same options share their connections; these must act like separate processes.
  let lockTimeout = 45_000;
  return { open: () => postgresStore({ url, lockTimeout: lockTimeout++ }), durable: true };
});

test("a redaction reaches writes of another process during it [secrets.erase]", async (context) => {
  const url = await server.database();
  const store = await postgresStore({ url });
  const memory = await openTestMemory({ store, secrets: "allow" });
  const other = await openTestMemory({ store: url, secrets: "allow" });
  context.after(() => Promise.all([memory.close(), other.close()]));
  const session = await memory.createSession({ id: "a", title: "about hunter2" });
  await session.notes.add("hunter2", ["hunter2"]);
  const writer = await other.resumeSession("a");
  const { commit } = store;
  let writes = 0;
  store.commit = async (change) => {
    if (writes++ < 2) await writer.notepad.append(`hunter2 once more, ${writes}\n`);
    return commit(change);
  };
  const { sessions } = await memory.rewrite((text) => text.replaceAll("hunter2", "*******"));
  assert.deepEqual(sessions, [{ owner: "local", sessionId: "a" }]);
  assert.equal(writes, 3, "two passes lost against the other process");
  for (const [table, id] of [
    ["agent_sessions", "id"],
    ["session_records", "session_id"],
    ["session_journal", "session_id"],
  ] as const) {
    const stored = await askPostgres(url, `SELECT * FROM ${table} WHERE ${id} = $1 AND owner = $2`, [
      "a",
      "local",
    ]);
    const rows = JSON.stringify(stored);
    assert.match(rows, /\*{7}/, table);
    assert.doesNotMatch(rows, /hunter2/, table);
  }
  await writer.notepad.append("and on");
  assert.equal(
    await (await memory.resumeSession("a")).notepad.read(),
    "******* once more, 1\n******* once more, 2\nand on",
  );
});

/** An owner's sessions are on all shards. */
const isList = (text: string) =>
  /^SELECT (id, owner, agent|owner, id, revision).* FROM agent_sessions WHERE owner = /.test(text);

test("every statement that the contract sends runs on one shard, names the owner, and announces nothing in a commit [stores.session-first] [stores.owner] [stores.one-shard]", () => {
  const texts = sent.mock.calls.map(({ arguments: [query] }) =>
    squeeze(typeof query === "string" ? query : (query as { text: string }).text),
  );
  const messages = [...new Set(texts)].filter((text) => !/CREATE (TABLE|DATABASE)/.test(text));
  const statements = [...new Set(messages.flatMap(statementsIn).map(squeeze))];
  const onData = statements.filter((text) => tablesIn(text).length > 0);
  assert.ok(onData.length >= 20, `${onData.length} statements were seen`);
  assert.ok(statements.some((text) => text.startsWith("UPDATE agent_sessions SET")));
  assert.deepEqual(messages.filter((text) => !isList(text)).flatMap(violationsOf), []);
  const listed = messages.filter(isList);
  assert.ok(listed.length > 1);
  for (const text of listed) assert.match(text, /owner = (?:\$1|ANY\(\$1\))/);
  // No transaction that writes announces: all commits of the server would wait for the same lock.
  const announcing = texts.filter((text) => text.includes("pg_notify"));
  assert.ok(announcing.length > 0);
  assert.deepEqual(new Set(announcing).size, 1);
});

test("mutations: a statement that leaves its shard, or announces in a commit, is found [stores.one-shard]", () => {
  for (const [violation, sql] of [
    [/without one session/, "SELECT value FROM session_records WHERE owner = $1"],
    [/without one session/, "DELETE FROM session_journal WHERE session_id > $1 AND owner = $2"],
    [/without one session/, "UPDATE agent_sessions SET title = $2 WHERE id = $1 OR owner = $2"],
    [/does not name the owner/, "SELECT revision FROM agent_sessions WHERE id = $1"],
    [/without a session/, "INSERT INTO session_records (kind, session_id) VALUES ($1, lower('X'))"],
    [/INSERT … SELECT/, "INSERT INTO session_records (session_id) SELECT $1 FROM unnest($2::text[])"],
    [
      /joins rows from elsewhere/,
      "UPDATE session_records r SET value = w.v FROM unnest($2::text[]) AS w(v) WHERE r.session_id = $1 AND r.owner = $3",
    ],
    [
      /volatile function/,
      "UPDATE agent_sessions SET touched = clock_timestamp() WHERE id = $1 AND owner = $2",
    ],
    [/announces inside a commit/, "SELECT holdfast_commit($1), pg_notify('a', 'b')"],
  ] as const)
    assert.match(violationsOf(sql)[0] ?? "nothing found", violation, sql.slice(-200));
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
      "holdfast_schema version",
      "ledger_calls session_id",
      "ledger_pieces session_id",
      "session_journal session_id",
      "session_records session_id",
    ],
  );
});

function squeeze(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
