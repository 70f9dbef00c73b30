import { residentKinds } from "../../engine/records.ts";
import type { EntryAge } from "../../engine/retention.ts";
import { HoldfastError } from "../../errors.ts";
import {
  entryFromSql,
  recordFromSql,
  type SqlEntry,
  type SqlRecord,
  type SqlSession,
  type SqlVersion,
  sessionColumns,
  sessionFromSql,
  summaryColumns,
  summaryFromSql,
  versionFromSql,
} from "../sql-rows.ts";
import type { NewSession, StopWatching, Store, StoreOptions } from "../store.ts";
import { openEnd } from "../store.ts";
import { Connections, importPg, parseServerAddress, type Query } from "./connections.ts";
import { Feed } from "./feed.ts";
import { dropCalls, postgresLedger } from "./ledger.ts";
import { eraseFreed, rewriteSessions } from "./rewrite.ts";
import { migrate, sessionTables } from "./schema.ts";
import { applyCommit, deleteSession, insertSession } from "./session-rows.ts";

export interface PostgresOptions extends StoreOptions {
  /** postgres://user:password@host:port[,host:port…]/database */
  url: string;
}

const entryColumns = "revision, at, actor, surface, operation, changes, idempotency_key, result";

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
    if (isClosed)
      throw new HoldfastError("store_closed", "The Postgres store was closed. Open the memory again.");
  };
  const query: Query = async (text, values) => {
    assertOpen();
    return connections.query(text, values);
  };
  const write: Connections["write"] = async (work) => {
    assertOpen();
    return connections.write(work);
  };
  const announce = ({ owner, id, revision, createdAt }: NewSession["row"]) =>
    feed.announce({ owner, sessionId: id, revision, createdAt });

  const store: Store = {
    name: "postgres",
    ledger: postgresLedger({ query, write }),
    async create(session) {
      const id = crypto.randomUUID();
      const isCreated = await write((attempt) => insertSession(attempt, session, id));
      if (isCreated) announce(session.row);
      return isCreated;
    },
    async load({ sessionId, owner }) {
      // One statement, so that the row and its records are consistent.
      const { rows } = await query<SqlSession & { resident: SqlRecord[] }>(
        `SELECT ${sessionColumns}, coalesce((
           SELECT json_agg(json_build_object('kind', kind, 'key', key, 'value', value) ORDER BY kind, key)
           FROM session_records
           WHERE session_id = $1 AND owner = $2 AND to_revision = ${openEnd} AND value IS NOT NULL AND kind = ANY($3)
         ), '[]') AS resident
         FROM agent_sessions WHERE id = $1 AND owner = $2`,
        [sessionId, owner, residentKinds],
      );
      const [row] = rows;
      return row && { row: sessionFromSql(row), records: row.resident.map(recordFromSql) };
    },
    async revision({ sessionId, owner }) {
      const { rows } = await query<{ revision: number }>(
        "SELECT revision FROM agent_sessions WHERE id = $1 AND owner = $2",
        [sessionId, owner],
      );
      return rows[0]?.revision;
    },
    async commit(commit) {
      const id = crypto.randomUUID();
      const isDone = await write((attempt) => applyCommit(attempt, commit, id));
      if (isDone) announce(commit.row);
      return isDone;
    },
    async records({ sessionId, owner }, { kinds, keys, from, to, at }) {
      const values: unknown[] = [sessionId, owner, kinds];
      const parameter = (value: unknown) => `$${values.push(value)}`;
      const conditions = ["session_id = $1", "owner = $2", "kind = ANY($3)"];
      if (at === undefined) conditions.push(`to_revision = ${openEnd}`);
      else conditions.push(`from_revision <= ${parameter(at)} AND to_revision > ${parameter(at)}`);
      if (keys) conditions.push(`key = ANY(${parameter(keys)})`);
      if (from !== undefined) conditions.push(`key >= ${parameter(from)}`);
      if (to !== undefined) conditions.push(`key <= ${parameter(to)}`);
      const { rows } = await query<SqlRecord & object>(
        `SELECT kind, key, value FROM session_records WHERE ${conditions.join(" AND ")} ORDER BY kind, key`,
        values,
      );
      return rows.map(recordFromSql);
    },
    async versions({ sessionId, owner }) {
      const { rows } = await query<SqlVersion & object>(
        `SELECT kind, key, value, from_revision, to_revision FROM session_records
         WHERE session_id = $1 AND owner = $2 ORDER BY kind, key, to_revision`,
        [sessionId, owner],
      );
      return rows.map(versionFromSql);
    },
    async journal({ sessionId, owner }, { from = 0, to = openEnd, limit = openEnd, newestFirst }) {
      const { rows } = await query<SqlEntry & object>(
        `SELECT ${entryColumns} FROM session_journal
         WHERE session_id = $1 AND owner = $2 AND revision BETWEEN $3 AND $4
         ORDER BY revision ${newestFirst ? "DESC" : "ASC"} LIMIT $5`,
        [sessionId, owner, from, to, limit],
      );
      return rows.map(entryFromSql);
    },
    async entryByKey({ sessionId, owner }, key) {
      const { rows } = await query<SqlEntry & object>(
        `SELECT ${entryColumns} FROM session_journal WHERE session_id = $1 AND owner = $2 AND idempotency_key = $3`,
        [sessionId, owner, key],
      );
      return rows[0] && entryFromSql(rows[0]);
    },
    async sessions(owner, { agent, statuses, parent, limit, offset = 0, after }) {
      const values: unknown[] = [owner];
      const parameter = (value: unknown) => `$${values.push(value)}`;
      const conditions = ["owner = $1"];
      if (agent !== undefined) conditions.push(`agent = ${parameter(agent)}`);
      if (statuses) conditions.push(`status = ANY(${parameter(statuses)})`);
      if (parent !== undefined) conditions.push(`parent = ${parameter(parent)}`);
      if (after) {
        const [time, id] = [parameter(after.updatedAt), parameter(after.id)];
        conditions.push(`updated_at <= ${time} AND (updated_at < ${time} OR id COLLATE "C" > ${id})`);
      }
      const { rows } = await query<SqlSession & object>(
        `SELECT ${summaryColumns} FROM agent_sessions WHERE ${conditions.join(" AND ")}
         ORDER BY updated_at DESC, id COLLATE "C" LIMIT ${parameter(limit ?? null)} OFFSET ${parameter(offset)}`,
        values,
      );
      return rows.map(summaryFromSql);
    },
    async purge(scope) {
      const existed = (await store.revision(scope)) !== undefined;
      await write(({ send }) => send(deleteSession(scope)));
      return existed;
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
      async oldest({ sessionId, owner }, limit) {
        const { rows } = await query<EntryAge & object>(
          "SELECT revision, at FROM session_journal WHERE session_id = $1 AND owner = $2 ORDER BY revision LIMIT $3",
          [sessionId, owner, limit],
        );
        return rows;
      },
      async dropEntries({ sessionId, owner }, before) {
        const { rowCount } = await query(
          "DELETE FROM session_journal WHERE session_id = $1 AND owner = $2 AND revision < $3",
          [sessionId, owner, before],
        );
        return rowCount ?? 0;
      },
      dropCalls: (scope, plan) => write((attempt) => dropCalls(attempt, scope, plan)),
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
