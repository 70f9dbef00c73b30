import assert from "node:assert/strict";
import { after, mock, type TestContext, test } from "node:test";
import pg from "pg";
import { openTestMemory } from "../../../test/support/memory.ts";
import { askPostgres, startPostgres } from "../../../test/support/postgres.ts";
import type { Session } from "../../index.ts";

const server = await startPostgres();
after(() => server.stop());
const sent = mock.method(pg.Client.prototype, "query");

/** Sessions of one process, and how many commits each statement had that was sent since. */
async function openSessions(context: TestContext, url: string, ids: readonly string[]) {
  const memory = await openTestMemory({ store: url });
  context.after(() => memory.close());
  const sessions = await Promise.all(ids.map((id) => memory.createSession({ id })));
  sent.mock.resetCalls();
  const groupSizes = () =>
    sent.mock.calls.flatMap(({ arguments: [query] }) => {
      const commits = (query as { text?: string }).text?.match(/holdfast_commit\(/g);
      return commits ? [commits.length] : [];
    });
  return { sessions, groupSizes };
}

async function appendToAll(sessions: readonly Session[], lines: number): Promise<void> {
  await Promise.all(
    sessions.map(async (session) => {
      for (let line = 1; line <= lines; line++) await session.notepad.append(`- ${session.id} ${line}`);
    }),
  );
}

const ids = Array.from({ length: 12 }, (_, index) => `s${index}`);

test("commits that wait at the same time share a transaction, and each is applied once [stores.group-commit]", async (context) => {
  const { sessions, groupSizes } = await openSessions(context, await server.database(), ids);
  await appendToAll(sessions, 10);
  for (const session of sessions) {
    const lines = Array.from({ length: 10 }, (_, index) => `- ${session.id} ${index + 1}`);
    assert.equal(await session.notepad.read(), lines.join("\n"));
    assert.equal((await session.history()).length, 11);
  }
  assert.ok(Math.max(...groupSizes()) > 1, `groups of ${groupSizes()}`);
  assert.ok(groupSizes().length < 120, `${groupSizes().length} statements for 120 commits`);
});

test("a commit that the server refuses fails alone; the others of its group are stored [stores.group-commit]", async (context) => {
  const url = await server.database();
  const { sessions, groupSizes } = await openSessions(context, url, ids);
  await askPostgres(
    url,
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$;
     CREATE TRIGGER refuse BEFORE INSERT ON session_journal FOR EACH ROW WHEN (NEW.session_id = 's5') EXECUTE FUNCTION refuse()`,
  );
  const outcomes = await Promise.allSettled(sessions.map((session) => session.notepad.append("- a line")));
  assert.ok(Math.max(...groupSizes()) > 1, `groups of ${groupSizes()}`);
  for (const [index, session] of sessions.entries()) {
    const isRefused = session.id === "s5";
    assert.equal(outcomes[index]?.status, isRefused ? "rejected" : "fulfilled", session.id);
    assert.equal(await session.notepad.read(), isRefused ? "" : "- a line");
  }
});

test("where sessions may be on other nodes, every commit is a transaction of its own [stores.group-commit] [stores.one-shard]", async (context) => {
  const url = await server.database();
  // What a client of such a server can see of it.
  await askPostgres(
    url,
    `SET allow_system_table_mods = on;
     INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
       VALUES (99999, 'citus', 10, 'public'::regnamespace, false, '13.2-1')`,
  );
  const { sessions, groupSizes } = await openSessions(context, url, ids);
  await appendToAll(sessions, 3);
  assert.deepEqual(new Set(groupSizes()), new Set([1]));
  assert.equal(groupSizes().length, 36);
});
