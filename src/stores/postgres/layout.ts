import type { Client } from "pg";
import { HoldfastError } from "../../errors.ts";
import { sessionTables } from "../sql-store.ts";
import { endClient, importPg, openClient, parseServerAddress, postgresError } from "./connections.ts";
import { migrations } from "./schema.ts";

/** A copy of it on every node, so that a client can open the store through any of them. */
const referenceTable = "holdfast_schema";

export interface StoreLayout {
  engine: string;
  /** In a line: where the tables are. */
  layout: string;
  schema: number;
  /** The problems, each with its next step. */
  problems: string[];
}

interface Placement {
  name: string;
  kind: "distributed" | "reference";
  column: string | null;
  colocation: number;
  shards: number;
}

/** Distributes an existing store over the nodes of a Citus cluster, by session. Returns what it did, line by line. */
export async function distributeStore(url: string): Promise<string[]> {
  return withServer(url, async (client) => {
    if (!(await citusVersion(client))) {
      throw new HoldfastError(
        "invalid_input",
        "This Postgres server has no Citus, so there is nothing to distribute to. Install the extension on every node and run CREATE EXTENSION citus.",
      );
    }
    const done: string[] = [];
    const placed = new Map((await placements(client)).map((each) => [each.name, each]));
    if (!placed.has(referenceTable)) {
      await client.query(`SELECT create_reference_table('${referenceTable}')`);
      done.push(`${referenceTable}: now a reference table, on every node`);
    }
    // The first table gives the others their place.
    const [first = ""] = Object.keys(sessionTables);
    for (const [table, column] of Object.entries(sessionTables)) {
      if (placed.has(table)) continue;
      const colocated = table === first ? "" : `, colocate_with => '${first}'`;
      await client.query(`SELECT create_distributed_table('${table}', '${column}'${colocated})`);
      done.push(`${table}: now distributed by ${column}${table === first ? "" : `, together with ${first}`}`);
    }
    return done;
  });
}

/** Looks at a store without changing it. */
export async function readLayout(url: string): Promise<StoreLayout> {
  return withServer(url, async (client) => {
    const { rows } = await client.query<{ version: string; standby: boolean; ours: string | null }>(
      "SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS standby, to_regclass('holdfast_schema')::text AS ours",
    );
    const citus = await citusVersion(client);
    const engine = `PostgreSQL ${rows[0]?.version}${citus ? `, Citus ${citus}` : ""}`;
    const problems: string[] = [];
    if (rows[0]?.standby) problems.push("The server is a standby and accepts no writes. Use the primary.");
    if (!rows[0]?.ours) {
      problems.push("There are no Holdfast tables here yet. Opening the store creates them.");
      return { engine, layout: "empty", schema: 0, problems };
    }
    const found = await client.query<{ version: number }>(
      "SELECT max(version) AS version FROM holdfast_schema",
    );
    const schema = found.rows[0]?.version ?? 0;
    if (schema < migrations.length)
      problems.push(
        `The schema is version ${schema} of ${migrations.length}. Opening the store upgrades it.`,
      );
    if (schema > migrations.length)
      problems.push(
        `The schema is version ${schema}, newer than this Holdfast (${migrations.length}). Update holdfast.`,
      );
    const placed = citus ? await placements(client) : [];
    if (citus) problems.push(...(await citusProblems(client, placed)));
    return { engine, layout: describeLayout(placed), schema, problems };
  });
}

function describeLayout(placed: readonly Placement[]): string {
  const distributed = placed.filter(({ kind }) => kind === "distributed");
  if (distributed.length === 0) return "plain tables on one server";
  return `${distributed.length} tables distributed by session in ${distributed[0]?.shards} shards`;
}

async function citusProblems(client: Client, placed: readonly Placement[]): Promise<string[]> {
  const distributed = placed.filter(({ kind }) => kind === "distributed");
  if (distributed.length === 0) return [];
  const problems: string[] = [];
  const repair = `Run "holdfast store distribute".`;
  for (const [table, column] of Object.entries(sessionTables)) {
    const found = distributed.find(({ name }) => name === table);
    if (!found) problems.push(`${table} is not distributed, but other tables are. ${repair}`);
    else if (found.column !== column)
      problems.push(
        `${table} is distributed by ${found.column}, not by ${column}: commits touch several shards.`,
      );
    else if (found.colocation !== distributed[0]?.colocation)
      problems.push(`${table} is not on the same shards as the others: commits need two-phase commit.`);
  }
  if (!placed.some(({ name, kind }) => name === referenceTable && kind === "reference"))
    problems.push(
      `${referenceTable} is not a reference table: clients cannot open the store through a worker. ${repair}`,
    );
  const { rows } = await client.query<{ nodename: string; nodeport: number }>(
    "SELECT nodename, nodeport FROM pg_dist_node WHERE NOT isactive",
  );
  for (const { nodename, nodeport } of rows)
    problems.push(`Node ${nodename}:${nodeport} is not active: sessions on its shards cannot be reached.`);
  return problems;
}

async function citusVersion(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ extversion: string }>(
    "SELECT extversion FROM pg_extension WHERE extname = 'citus'",
  );
  return rows[0]?.extversion;
}

async function placements(client: Client): Promise<Placement[]> {
  const { rows } = await client.query<Placement>(
    `SELECT table_name::text AS name, citus_table_type AS kind, nullif(distribution_column, '<none>') AS column,
            colocation_id AS colocation, shard_count::int AS shards
     FROM citus_tables WHERE table_name::text = ANY($1)`,
    [[...Object.keys(sessionTables), referenceTable]],
  );
  return rows;
}

/** Runs work on a connection of its own, without time limits. */
async function withServer<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  try {
    const client = await openClient(await importPg(), parseServerAddress(url));
    try {
      return await work(client);
    } finally {
      await endClient(client);
    }
  } catch (error) {
    throw postgresError(error);
  }
}
