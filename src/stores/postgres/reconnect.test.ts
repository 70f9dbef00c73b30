import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import pg from "pg";
import { openTestMemory } from "../../../test/support/memory.ts";
import { askPostgres, startPostgres } from "../../../test/support/postgres.ts";
import { seededRandom } from "../../../test/support/random.ts";
import type { Memory, Session } from "../../index.ts";
import { type CuttableProxy, startProxy } from "./test-support/proxy.ts";

const server = await startPostgres();
after(() => server.stop());

/** Usually under five seconds; leaves room for a busy machine. */
const soon = 10_000;

/** A memory that is closed after the test, even if it fails. */
async function openFor(context: TestContext, store: string): Promise<Memory> {
  const memory = await openTestMemory({ store });
  context.after(() => memory.close());
  return memory;
}

async function proxyFor(context: TestContext, url: string): Promise<{ proxy: CuttableProxy; url: string }> {
  const proxy = await startProxy(Number(new URL(url).port));
  context.after(() => proxy.close());
  return { proxy, url: url.replace(/:\d+\//, `:${proxy.port}/`) };
}

/** Adds notes one after another; returns them and the slowest time. */
async function writeThrough(
  session: Session,
  name: string,
  count: number,
): Promise<{ kept: string[]; slowest: number }> {
  const kept: string[] = [];
  let slowest = 0;
  for (let number = 1; number <= count; number++) {
    const started = performance.now();
    await session.notes.add(`${name} ${number}`, []);
    slowest = Math.max(slowest, performance.now() - started);
    kept.push(`${name} ${number}`);
  }
  return { kept, slowest };
}

/** Every acknowledged note is stored exactly once, and the revisions have no gaps. */
async function assertExactlyOnce(memory: Memory, id: string, kept: string[]): Promise<void> {
  const session = await memory.resumeSession(id);
  const contents = (await session.notes.all()).map(({ content }) => content);
  assert.deepEqual(contents.toSorted(), kept.toSorted());
  const revisions = (await session.history({ newestFirst: false })).map(({ revision }) => revision);
  assert.deepEqual(
    revisions,
    revisions.map((_, index) => index + 1),
  );
}

async function connectionsTo(url: string): Promise<number> {
  const [row] = await askPostgres(
    url,
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  return row?.n as number;
}

test("terminated backends neither lose nor repeat a write [stores.reconnect]", async (context) => {
  const url = await server.database();
  const memory = await openFor(context, url);
  const sessions = await Promise.all(["a", "b", "c", "d"].map((id) => memory.createSession({ id })));
  let busy = true;
  const writing = Promise.all(sessions.map((session) => writeThrough(session, session.id, 40))).finally(
    () => {
      busy = false;
    },
  );
  let terminated = 0;
  while (busy) {
    const ended = await askPostgres(
      url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    terminated += ended.length;
  }
  const written = await writing;
  assert.ok(terminated > 10, `${terminated} backends were terminated`);
  for (const [index, { kept, slowest }] of written.entries()) {
    assert.ok(slowest < soon, `a write took ${slowest} ms`);
    await assertExactlyOnce(memory, sessions[index]?.id as string, kept);
  }
  assert.ok((await connectionsTo(url)) <= 8, "connections were left behind");
});

test("a connection cut at any moment neither loses nor repeats a write, also while creating and purging sessions [stores.reconnect]", async (context) => {
  const url = await server.database();
  const { proxy, url: throughProxy } = await proxyFor(context, url);
  const memory = await openFor(context, throughProxy);
  const session = await memory.createSession({ id: "cut" });
  const random = seededRandom(7);
  const kept: string[] = [];
  for (let round = 0; round < 60; round++) {
    proxy.cutAfter(round % 2 ? "server" : "client", 1 + random(3));
    const together = [1, 2, 3].map((each) => `round ${round} note ${each}`);
    await Promise.all(together.map((content) => session.notes.add(content, [])));
    kept.push(...together);
  }
  assert.ok(proxy.cuts >= 55, `${proxy.cuts} cuts`);
  await assertExactlyOnce(memory, "cut", kept);
  for (let cut = 1; cut <= 12; cut++) {
    proxy.cutAfter(cut % 2 ? "server" : "client", Math.ceil(cut / 2));
    const made = await memory.createSession({ id: `made-${cut}` });
    assert.equal((await made.history()).length, 1, "created once");
    proxy.cutAfter(cut % 2 ? "server" : "client", Math.ceil(cut / 2));
    await memory.purgeSession(made.id);
    assert.equal(await memory.findSession(made.id), undefined);
  }
  proxy.cutAfter("server", Number.POSITIVE_INFINITY);
  proxy.cutAfter("client", Number.POSITIVE_INFINITY);
  assert.deepEqual(
    (await memory.listSessions()).map(({ id }) => id),
    ["cut"],
  );
});

test("a silent connection is dropped, and its pending commit is applied once [stores.reconnect]", async (context) => {
  const url = await server.database();
  const { proxy, url: throughProxy } = await proxyFor(context, url);
  const memory = await openFor(context, throughProxy);
  const session = await memory.createSession({ id: "slow" });
  // The commit blocks on a lock in the server; meanwhile the connection goes silent.
  const direct = await openFor(context, url);
  await askPostgres(
    url,
    "CREATE FUNCTION wait_a_moment() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END'",
  );
  await askPostgres(
    url,
    "CREATE TRIGGER wait BEFORE UPDATE ON agent_sessions FOR EACH ROW EXECUTE FUNCTION wait_a_moment()",
  );
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  context.after(() => holder.end());
  await holder.query("SELECT pg_advisory_lock(1)");
  const adding = session.notes.add("only once", []);
  /** Waits for a backend that waits for the lock, other than these. */
  const waiting = async (others: number[]): Promise<number[]> => {
    for (;;) {
      const { rows } = await holder.query<{ pid: number }>(
        // pg_sleep, because a busy loop would load the CPU.
        "SELECT pid, pg_sleep(0.02) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      );
      const found = rows.map(({ pid }) => pid).filter((pid) => !others.includes(pid));
      if (found.length > 0) return [...others, ...found];
    }
  };
  const before = await waiting([]);
  proxy.goSilent();
  const dead = performance.now();
  await waiting(before);
  assert.ok(performance.now() - dead < soon, `it took ${performance.now() - dead} ms`);
  await holder.query("SELECT pg_advisory_unlock(1)");
  await adding;
  await assertExactlyOnce(direct, "slow", ["only once"]);
});

test("a server crash and restart loses no write, and watchers get the changes they missed [stores.reconnect] [journal.feed]", async (context) => {
  const url = await server.database();
  const [memory, watching] = [await openFor(context, url), await openFor(context, url)];
  const session = await memory.createSession({ id: "a" });
  const received: number[] = [];
  const total = 240;
  const { promise: receivedAll, resolve: resolveAll } = Promise.withResolvers<void>();
  await (await watching.resumeSession("a")).watch(({ revision }) => {
    received.push(revision);
    if (revision === total + 1) resolveAll();
  });
  const kept: string[] = [];
  let slowest = 0;
  for (let crash = 0; crash < 3; crash++) {
    const writing = writeThrough(session, `run ${crash}`, total / 3);
    await new Promise<void>(
      (resolve) => void session.watch(({ revision }) => revision > crash * 80 + 10 && resolve()),
    );
    await server.crash();
    const back = performance.now();
    await server.restart();
    const down = performance.now() - back;
    const written = await writing;
    kept.push(...written.kept);
    slowest = Math.max(slowest, written.slowest - down);
  }
  assert.ok(slowest < soon, `a write took ${slowest} ms after the server was back`);
  await assertExactlyOnce(memory, "a", kept);
  await receivedAll;
  assert.deepEqual(
    received,
    Array.from({ length: total }, (_, index) => index + 2),
  );
});
