import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import pg from "pg";
import { openTestMemory, rejection } from "../../../test/support/memory.ts";
import { askPostgres, startPostgres } from "../../../test/support/postgres.ts";
import type { Memory } from "../../index.ts";
import { parseServerAddress } from "./connections.ts";
import { postgresStore } from "./postgres.ts";
import { startProxy } from "./test-support/proxy.ts";

const server = await startPostgres();
after(() => server.stop());

async function openFor(context: TestContext, store: string, lockTimeout = 45_000): Promise<Memory> {
  const memory = await openTestMemory({ store, lockTimeout });
  context.after(() => memory.close());
  return memory;
}

/** Locks a session's row until the returned function is called. */
async function lockSession(context: TestContext, url: string, id: string): Promise<() => Promise<unknown>> {
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  context.after(() => holder.end());
  await holder.query("BEGIN");
  await holder.query("SELECT 1 FROM agent_sessions WHERE id = $1 FOR UPDATE", [id]);
  return () => holder.query("COMMIT");
}

test("model calls that processes record at once each get a number, and no statement fails [ledger.many-processes]", async (context) => {
  const url = await server.database();
  const memory = await openFor(context, url);
  await memory.createSession({ id: "a" });
  // Different options, so that each store has its own connections, as another process has.
  const stores = await Promise.all(
    [1, 2, 3, 4].map((each) => postgresStore({ url, lockTimeout: 45_000 + each })),
  );
  const scope = { owner: "local", sessionId: "a" };
  const call = { at: 1, base: 0, kept: 0, pieces: ["h"], facts: null };
  const piece = new Map([["h", { part: "history", role: "user", tokens: 1, text: "x" }]]);
  const sent = context.mock.method(pg.Client.prototype, "query");
  const numbers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => stores[index % 4]?.ledger?.record(scope, call, piece)),
  );
  assert.deepEqual(
    numbers.toSorted((a, b) => Number(a) - Number(b)),
    Array.from({ length: 100 }, (_, index) => index + 1),
  );
  await Promise.all(stores.map((store) => store.close()));
  const { calls } = sent.mock;
  assert.ok(
    calls.some(({ arguments: [query] }) => JSON.stringify(query).includes("ROLLBACK")),
    "no two processes took the same number",
  );
  // The server logs a statement that fails as an error.
  const outcomes = await Promise.allSettled(calls.map(({ result }) => result));
  const failures = outcomes.flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : []));
  assert.deepEqual([...new Set(failures)], []);
});

test("a write without an answer is reported as unknown, and the same call sent again is applied once [stores.unknown-outcome]", async (context) => {
  const url = await server.database();
  const proxy = await startProxy(Number(new URL(url).port));
  context.after(() => proxy.close());
  const memory = await openFor(context, url.replace(/:\d+\//, `:${proxy.port}/`), 1_500);
  const session = await memory.createSession({ id: "a" });
  await session.notepad.append("- before");
  proxy.muteAt = "COMMIT";
  const error = await rejection(session.notes.add("once", []), "store_unknown");
  assert.match(error.message, /may have been applied\. Send the same call again: it is applied once/);
  const answer = await session.call("update_notepad", { operation: "append", content: "- after" });
  // No connection could be opened for this one, so it was never sent.
  assert.match(answer.text, /Nothing was written/);
  proxy.muteAt = undefined;
  proxy.mute = false;
  assert.equal((await session.notes.add("once", [])).repeated, true);
  const again = await session.call("update_notepad", { operation: "append", content: "- after" });
  assert.ok(again.ok, again.text);
  assert.equal(await session.notepad.read(), "- before\n- after");
  assert.deepEqual(
    (await session.notes.all()).map(({ content }) => content),
    ["once"],
  );
  // A settled call is not remembered: a third call is a new one.
  await session.notes.add("once", []);
  assert.equal((await session.notes.all()).length, 2);
});

test("a session that stays locked is reported as busy, and nothing of the write is left behind [stores.unknown-outcome]", async (context) => {
  const url = await server.database();
  const memory = await openFor(context, url, 1_500);
  const session = await memory.createSession({ id: "a" });
  const unlock = await lockSession(context, url, "a");
  const error = await rejection(session.notes.add("late", []), "store_busy");
  assert.match(error.message, /Nothing was written/);
  await unlock();
  const waiting = await askPostgres(
    url,
    "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
  );
  assert.deepEqual(waiting, [], "the server gave up before the client");
  assert.deepEqual(await session.notes.all(), []);
  await session.notes.add("late", []);
  assert.equal((await session.notes.all()).length, 1);
});

test("a locked session delays no other session of the process [stores.locked-session]", async (context) => {
  const url = await server.database();
  const memory = await openFor(context, url);
  const locked = await memory.createSession({ id: "locked" });
  const others = await Promise.all(
    Array.from({ length: 12 }, (_, index) => memory.createSession({ id: `free-${index}` })),
  );
  const unlock = await lockSession(context, url, "locked");
  let isDone = false;
  const late = locked.notes.add("late", []).then(() => {
    isDone = true;
  });
  let slowest = 0;
  for (let round = 0; round < 10; round++) {
    await Promise.all(
      others.map(async (session) => {
        const started = performance.now();
        await session.notes.add(`note ${round}`, []);
        slowest = Math.max(slowest, performance.now() - started);
      }),
    );
  }
  assert.equal(isDone, false);
  context.diagnostic(`the slowest of 120 writes beside a locked session took ${slowest.toFixed(0)} ms`);
  assert.ok(slowest < 1_500, `${slowest} ms`);
  await unlock();
  await late;
});

test("a server that is read-only for a while, or has no free connection, is tried again [stores.moved]", async (context) => {
  const url = await server.database();
  const name = new URL(url).pathname.slice(1);
  const memory = await openFor(context, url);
  const session = await memory.createSession({ id: "a" });
  const admin = `${server.url}/postgres`;
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`;
  await askPostgres(admin, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  await askPostgres(admin, end);
  const adding = session.notes.add("moved", []);
  while ((await askPostgres(admin, end)).length === 0);
  await askPostgres(admin, `ALTER DATABASE ${name} RESET default_transaction_read_only`);
  await adding;

  await askPostgres(admin, "CREATE ROLE crowded LOGIN SUPERUSER PASSWORD 'x' CONNECTION LIMIT 1");
  await askPostgres(admin, "ALTER ROLE crowded NOSUPERUSER");
  await askPostgres(url, "GRANT ALL ON ALL TABLES IN SCHEMA public TO crowded");
  const asCrowded = url.replace("postgres:holdfast", "crowded:x");
  const holder = new pg.Client({ connectionString: asCrowded });
  await holder.connect();
  const opening = openFor(context, asCrowded);
  await new Promise((proceed) => setTimeout(proceed, 100));
  await holder.end();
  assert.equal((await (await opening).resumeSession("a")).id, "a");
});

test("a refused opening leaves no connection behind [stores.refused-opening]", async () => {
  const url = await server.database();
  await askPostgres(url, "CREATE TABLE agent_sessions (name TEXT)");
  await rejection(postgresStore({ url }), "store_foreign");
  const newer = await server.database();
  await (await postgresStore({ url: newer })).close();
  await askPostgres(newer, "INSERT INTO holdfast_schema (version) VALUES (99)");
  await rejection(postgresStore({ url: newer }), "store_newer");
  for (const each of [url, newer]) {
    const [row] = await askPostgres(
      `${server.url}/postgres`,
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = '${new URL(each).pathname.slice(1)}'`,
    );
    assert.equal(row?.n, 0);
  }
});

test("a list of hosts is tried in order, and a URL that cannot work is refused [stores.moved]", async (context) => {
  const url = await server.database();
  const port = new URL(url).port;
  const several = url.replace(`127.0.0.1:${port}`, `127.0.0.1:1,127.0.0.1:${port}`);
  const memory = await openFor(context, `${several}?target_session_attrs=read-write`);
  assert.equal((await memory.createSession({ id: "a" })).id, "a");
  assert.throws(() => parseServerAddress(`${several}?target_session_attrs=standby`), {
    code: "invalid_input",
    message: /target_session_attrs=standby is not supported.*use read-write, primary, any/,
  });
  assert.deepEqual(
    parseServerAddress("postgres://u:p@a:1,b/d?sslmode=require&listen=postgres%3A%2F%2Fc%2Fd"),
    {
      hosts: ["postgres://u:p@a:1/d?sslmode=require", "postgres://u:p@b/d?sslmode=require"],
      needsPrimary: true,
      listen: { hosts: ["postgres://c/d"], needsPrimary: false },
    },
  );
});
