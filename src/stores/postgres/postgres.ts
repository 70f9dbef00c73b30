import { HoldfastError } from "../../errors.ts";
import {
  entryFromSql,
  recordFromSql,
  type SqlEntry,
  type SqlRecord,
  type SqlSession,
  type SqlVersion,
  sessionFromSql,
  summaryFromSql,
  versionFromSql,
} from "../sql-rows.ts";
import type { NewSession, Scope, StopWatching, Store, StoreOptions } from "../store.ts";
import { type Backend, useBackend } from "./backend.ts";
import { postgresLedger } from "./ledger.ts";
import { eraseFreed, rewriteSessions } from "./rewrite.ts";
import * as statements from "./statements.ts";
import { postgresTrimming } from "./trim.ts";

export interface PostgresOptions extends StoreOptions {
  /** postgres://user:password@host:port[,host:port…]/database */
  url: string;
}

/** Records and entries of a new session above which creating it may take seconds. */
const manyRows = 2_000;

export async function postgresStore(options: PostgresOptions): Promise<Store> {
  const { backend, release } = await useBackend({
    url: options.url,
    patience: options.patience,
    onWarning: options.onWarning ?? console.warn,
  });
  return makeStore(backend, options.url, release);
}

function makeStore({ pool, announcer, feed }: Backend, url: string, release: () => Promise<void>): Store {
  let isClosed = false;
  const stops = new Set<StopWatching>();
  /** The backend may outlive this store, so the store checks for itself. */
  const run: typeof pool.run = async (statement, options) => {
    if (isClosed)
      throw new HoldfastError("store_closed", "The Postgres store was closed. Open the memory again.");
    return pool.run(statement, options);
  };
  const write = async (statement: statements.Statement, session: string, long = false): Promise<boolean> => {
    const [row] = await run<{ answer: boolean }>(statement, { session, writes: true, long });
    return row?.answer ?? false;
  };
  const committed = (row: NewSession["row"]) => {
    const announcement = { sessionId: row.id, revision: row.revision, createdAt: row.createdAt };
    feed.committed(row.owner, announcement);
    announcer.announce(row.owner, announcement);
  };
  const revision = async (scope: Scope) => {
    const rows = await run<{ revision: number }>(statements.readRevision(scope), {
      session: scope.sessionId,
    });
    return rows[0]?.revision;
  };

  const store: Store = {
    name: "postgres",
    ledger: postgresLedger({ run }),
    async create(session) {
      const long = session.records.length + session.entries.length > manyRows;
      const { versions = [] } = session;
      const scope = { owner: session.row.owner, sessionId: session.row.id };
      if (
        versions.length > 0 &&
        !(await write(statements.addVersions(scope, versions), scope.sessionId, true))
      )
        return false;
      const statement = statements.create(session, crypto.randomUUID());
      const done = await write(statement, session.row.id, long);
      if (done) committed(session.row);
      return done;
    },
    async load(scope) {
      const rows = await run<SqlSession & { resident: SqlRecord[] }>(statements.load(scope), {
        session: scope.sessionId,
      });
      const row = rows[0];
      return row && { row: sessionFromSql(row), records: row.resident.map(recordFromSql) };
    },
    revision,
    async commit(commit) {
      const done = await write(statements.commit(commit, crypto.randomUUID()), commit.scope.sessionId);
      if (done) committed(commit.row);
      return done;
    },
    async records(scope, selection) {
      const rows = await run<SqlRecord & object>(statements.records(scope, selection), {
        session: scope.sessionId,
      });
      return rows.map(recordFromSql);
    },
    async versions(scope) {
      const rows = await run<SqlVersion & object>(statements.versions(scope), { session: scope.sessionId });
      return rows.map(versionFromSql);
    },
    async journal(scope, selection) {
      const rows = await run<SqlEntry & object>(statements.journal(scope, selection), {
        session: scope.sessionId,
      });
      return rows.map(entryFromSql);
    },
    async entryByKey(scope, key) {
      const rows = await run<SqlEntry & object>(statements.entryByKey(scope, key), {
        session: scope.sessionId,
      });
      return rows[0] && entryFromSql(rows[0]);
    },
    async sessions(owner, selection) {
      const rows = await run<SqlSession & object>(statements.listSessions(owner, selection));
      return rows.map(summaryFromSql);
    },
    async purge(scope) {
      // If the answer to the first attempt was lost, the second finds no rows.
      const existed = (await revision(scope)) !== undefined;
      return (await write(statements.purge(scope), scope.sessionId)) || existed;
    },
    async rewrite(owners, edit, now) {
      const rewritten = await rewriteSessions({ run, store }, owners, edit, now);
      return { ...rewritten, remaining: await eraseFreed(url) };
    },
    erase: () => eraseFreed(url),
    trimming: postgresTrimming({ run }),
    async watch(listener, scope) {
      const stop = await feed.watch(listener, scope);
      stops.add(stop);
      return () => {
        stops.delete(stop);
        stop();
      };
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      for (const stop of stops) stop();
      await release();
    },
  };
  return store;
}
