import assert from "node:assert/strict";
import { after, mock, test } from "node:test";
import pg from "pg";
import { openTestMemory } from "../../../test/support/memory.ts";
import { askPostgres, startPostgres } from "../../../test/support/postgres.ts";
import { channelOf } from "./feed.ts";
import { postgresStore } from "./postgres.ts";

const server = await startPostgres();
after(() => server.stop());

test("a change that nobody announced is found at the next heartbeat, for one session and for an owner [stores.feed-heartbeat]", async (context) => {
  const url = await server.database();
  const memory = await openTestMemory({ store: url });
  context.after(() => memory.close());
  const session = await memory.createSession({ id: "a" });
  await session.notepad.append("first");
  for (const watch of [
    (notify: () => void) => memory.watch(notify),
    (notify: () => void) => session.watch(notify),
  ]) {
    const { promise: noticed, resolve } = Promise.withResolvers<void>();
    const stop = await watch(resolve);
    const copied = performance.now();
    // Written by a client that announces nothing, like a process that dies right after its commit.
    await askPostgres(
      url,
      `WITH moved AS (UPDATE agent_sessions SET revision = revision + 1, touched = now() WHERE id = 'a' RETURNING revision)
       INSERT INTO session_journal (session_id, revision, owner, at, actor, surface, operation, changes)
       SELECT 'a', revision, 'local', 1, '{"kind":"agent"}', 'session', '{"type":"session.rename","title":null}', '[]' FROM moved`,
    );
    await noticed;
    context.diagnostic(`noticed after ${(performance.now() - copied).toFixed(0)} ms`);
    assert.ok(performance.now() - copied < 3_000);
    stop();
  }
});

test("a watcher listens on its owner's channel and looks at its owner's sessions only; the channel hides the name [stores.feed-heartbeat] [stores.owner]", async () => {
  const url = await server.database();
  const sent = mock.method(pg.Client.prototype, "query");
  const store = await postgresStore({ url });
  const stop = await store.watch(() => {}, { owner: "ada" });
  const texts = sent.mock.calls.map(({ arguments: [query] }) =>
    typeof query === "string" ? query : (query as { text: string }).text,
  );
  const channels = texts.filter((text) => text.startsWith("LISTEN")).map((text) => text.slice(7));
  assert.deepEqual(
    channels.filter((channel) => !channel.startsWith("holdfast_echo_")),
    [channelOf("ada")],
  );
  assert.doesNotMatch(channelOf("ada"), /ada/);
  const looks = sent.mock.calls.flatMap(({ arguments: [query] }) => {
    const { text = "", values } = query as { text?: string; values?: unknown[] };
    return text.includes("AND touched >") ? [{ text, owners: values?.[0] }] : [];
  });
  assert.equal(looks.length, 1);
  assert.match(looks[0]?.text ?? "", /WHERE owner = ANY\(\$1\) AND touched >/);
  assert.deepEqual(looks[0]?.owners, ["ada"]);
  mock.restoreAll();
  stop();
  await store.close();
});

test("1,000 memories of one process share connections, and the last one closes them [stores.shared-connections]", async () => {
  const url = await server.database();
  const memories = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) => openTestMemory({ store: url, owner: `owner-${index % 50}` })),
  );
  await memories[0]?.createSession({ id: "a" });
  const connections = async () => {
    const [row] = await askPostgres(
      `${server.url}/postgres`,
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = '${new URL(url).pathname.slice(1)}'`,
    );
    return Number(row?.n);
  };
  assert.ok((await connections()) <= 4, `${await connections()} connections`);
  for (const memory of memories.slice(0, -1)) await memory.close();
  assert.equal(await memories.at(-1)?.findSession("a"), undefined);
  await memories.at(-1)?.close();
  while ((await connections()) > 0);
});

test("the newest sessions of an owner, and the page after them, come from an index [stores.list-by-index]", async () => {
  const url = await server.database();
  const store = await postgresStore({ url });
  await askPostgres(
    url,
    `INSERT INTO agent_sessions (id, owner, agent, status, origin, lineage, created_at, updated_at, revision, last_fork, counters)
     SELECT 's' || n, 'ada', 'default', 'active', 'created', '[]', n * 26000, n * 26000, 1, 0, '{"notes":0}'
     FROM generate_series(1, 20000) n`,
  );
  await askPostgres(url, "ANALYZE agent_sessions");
  const first = await store.sessions("ada", { limit: 3, statuses: ["active"] });
  assert.deepEqual(
    first.map(({ id }) => id),
    ["s20000", "s19999", "s19998"],
  );
  const last = first[2] as (typeof first)[number];
  const sent = mock.method(pg.Client.prototype, "query");
  for (const selection of [{ limit: 3 }, { limit: 3, after: last }]) {
    await store.sessions("ada", selection);
    const { text = "", values } = (sent.mock.calls.at(-1)?.arguments[0] ?? {}) as pg.QueryConfig;
    const plan = await askPostgres(url, `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
    const json = JSON.stringify(plan);
    assert.match(json, /agent_sessions_listed/);
    const read = [...json.matchAll(/"Actual Rows":([\d.]+)/g)].map(([, rows]) => Number(rows));
    assert.ok(Math.max(...read) < 20, `read ${Math.max(...read)} rows for a page of 3`);
  }
  mock.restoreAll();
  const next = await store.sessions("ada", { limit: 2, after: last });
  assert.deepEqual(
    next.map(({ id }) => id),
    ["s19997", "s19996"],
  );
  await store.close();
});
