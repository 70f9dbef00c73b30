import { recordFromSql, type SqlRecord, type SqlSession, sessionFromSql } from "../sql-rows.ts";
import {
  deleteSession,
  type SqlDatabase,
  type Statement,
  selectResident,
  sessionTables,
  sqlStore,
  thisSession,
  valuesOf,
} from "../sql-store.ts";
import type { StopWatching, Store, StoreOptions } from "../store.ts";
import { Connections, closedError, importPg, parseServerAddress } from "./connections.ts";
import { Feed } from "./feed.ts";
import { eraseFreed, rewriteSessions } from "./rewrite.ts";
import { migrate } from "./schema.ts";

export interface PostgresOptions extends StoreOptions {
  /** postgres://user:password@host:port[,host:port…]/database */
  url: string;
}

/** The connections to one server, shared by all memories of this process that name it the same way. */
interface Server {
  connections: Connections;
  feed: Feed;
}

interface SharedServer {
  opening: Promise<Server>;
  users: number;
}

const servers = new Map<string, SharedServer>();

export async function postgresStore(options: PostgresOptions): Promise<Store> {
  const key = JSON.stringify([options.url, options.lockTimeout]);
  const shared = servers.get(key) ?? { opening: openServer(options), users: 0 };
  servers.set(key, shared);
  shared.users++;
  const forget = () => {
    if (servers.get(key) === shared) servers.delete(key);
  };
  try {
    const server = await shared.opening;
    return makeStore(server, async () => {
      if (--shared.users > 0) return;
      forget();
      await closeServer(server);
    });
  } catch (error) {
    forget();
    throw error;
  }
}

async function openServer({ url, lockTimeout, onWarning = console.warn }: PostgresOptions): Promise<Server> {
  const connections = new Connections(await importPg(), parseServerAddress(url), lockTimeout);
  const server = { connections, feed: new Feed(connections, onWarning) };
  try {
    await migrate(connections);
    return server;
  } catch (error) {
    // A refused opening leaves no connection behind.
    await closeServer(server);
    throw error;
  }
}

async function closeServer({ connections, feed }: Server): Promise<void> {
  await feed.close();
  await connections.close();
}

function makeStore({ connections, feed }: Server, release: () => Promise<void>): Store {
  let isClosed = false;
  const stops = new Set<StopWatching>();
  /** The connections may outlive this store, so the store checks for itself. */
  const assertOpen = () => {
    if (isClosed) throw closedError();
  };
  const query: Connections["query"] = async (text, values) => {
    assertOpen();
    return connections.query(text, values);
  };
  const write: SqlDatabase["write"] = async (statements, about) => {
    assertOpen();
    const counts = await connections.write(statements, about?.proof);
    if (counts && about?.row) {
      const { owner, id, revision, createdAt } = about.row;
      feed.announce({ owner, sessionId: id, revision, createdAt });
    }
    return counts;
  };
  const shared = sqlStore({
    query: async <Row extends object>({ text, values }: Statement) => (await query<Row>(text, values)).rows,
    write,
    stamp(table, row, id) {
      // Tells whether a write whose answer was lost was applied.
      if (table === "session_journal") return { ...row, commit_id: id };
      return table === "ledger_calls" ? { ...row, call_id: id } : row;
    },
    verify: (_table, row) => row,
    among: (column, parameter) => `${column} = ANY(${parameter})`,
    words: { lockRow: " FOR NO KEY UPDATE", touch: ", touched = now()", byCodePoint: ' COLLATE "C"' },
  });

  const store: Store = {
    ...shared,
    async load(scope) {
      // One statement, so that the row and its records are consistent.
      const records = selectResident(
        "json_agg(json_build_object('kind', kind, 'key', key, 'value', value) ORDER BY kind, key)",
      );
      const { rows } = await query<SqlSession & { resident: SqlRecord[] | null }>(
        `SELECT *, (${records}) AS resident FROM agent_sessions WHERE ${thisSession}`,
        valuesOf(scope),
      );
      const [row] = rows;
      return row && { row: sessionFromSql(row), records: (row.resident ?? []).map(recordFromSql) };
    },
    async purge(scope) {
      // If the answer to the first attempt is lost, the second finds no rows.
      const existed = (await store.revision(scope)) !== undefined;
      const counts = await write(deleteSession(scope));
      return existed || Boolean(counts?.[0]);
    },
    async rewrite(owners, edit, now) {
      const rewritten = await rewriteSessions({ query, write, store }, owners, edit, now);
      return { ...rewritten, remaining: await eraseFreed(connections) };
    },
    async erase() {
      assertOpen();
      return eraseFreed(connections);
    },
    trimming: {
      ...shared.trimming,
      async size() {
        // Of the tables on this node, with their indexes.
        const { rows } = await query<{ bytes: number }>(
          `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS bytes FROM pg_catalog.pg_class
           WHERE relname = ANY($1) AND relkind = 'r' AND pg_table_is_visible(oid)`,
          [Object.keys(sessionTables)],
        );
        return rows[0]?.bytes;
      },
    },
    async watch(listener, scope) {
      assertOpen();
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
