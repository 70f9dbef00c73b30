import { editJson, type Rewritten, rewriteEntry, type TextEdit } from "../rewrite.ts";
import { entryToSql } from "../sql-rows.ts";

interface Queryable {
  query<Row extends object>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
}

/** The tables with text, the columns that name a row besides the session, and the columns to edit. */
const tables = [
  { table: "session_records", key: ["kind", "key", "to_revision"], text: ["key"], json: ["value"] },
  {
    table: "session_journal",
    key: ["revision"],
    text: ["idempotency_key"],
    json: ["actor", "operation", "changes", "result"],
  },
  { table: "ledger_calls", key: ["number"], text: [], json: ["facts"] },
  { table: "ledger_pieces", key: ["hash"], text: ["text"], json: [] },
] as const;

/** Edits all text of these owners' sessions, in one transaction. */
export async function rewriteSessions(
  client: Queryable,
  owners: readonly string[],
  edit: TextEdit,
  now: number,
): Promise<Omit<Rewritten, "remaining">> {
  const { rows: sessions } = await client.query<{ id: string; owner: string }>(
    "SELECT id, owner FROM agent_sessions WHERE owner = ANY($1) ORDER BY id",
    [owners],
  );
  const changed: Rewritten["sessions"] = [];
  let values = 0;
  for (const { id, owner } of sessions) {
    const edited = await rewriteSession(client, id, owner, edit);
    if (edited === 0) continue;
    values += edited;
    changed.push({ owner, sessionId: id });
    await addEntry(client, id, owner, now);
  }
  return { sessions: changed, values };
}

async function rewriteSession(client: Queryable, id: string, owner: string, edit: TextEdit): Promise<number> {
  const { rows } = await client.query<{ title: string | null; notepad: string | null }>(
    "SELECT title, notepad FROM agent_sessions WHERE id = $1 AND owner = $2 FOR UPDATE",
    [id, owner],
  );
  const [row] = rows;
  if (!row) return 0;
  let values = 0;
  const [title, notepad] = [row.title, row.notepad].map((text) => (text === null ? null : edit(text)));
  if (title !== row.title || notepad !== row.notepad) {
    values++;
    await client.query("UPDATE agent_sessions SET title = $3, notepad = $4 WHERE id = $1 AND owner = $2", [
      id,
      owner,
      title,
      notepad,
    ]);
  }
  for (const each of tables) values += await rewriteTable(client, id, owner, each, edit);
  return values;
}

async function rewriteTable(
  client: Queryable,
  id: string,
  owner: string,
  { table, key, text, json }: (typeof tables)[number],
  edit: TextEdit,
): Promise<number> {
  const columns = [...new Set<string>([...key, ...text, ...json])];
  const { rows } = await client.query<Record<string, string | null>>(
    `SELECT ${columns.join(", ")} FROM ${table} WHERE session_id = $1 AND owner = $2`,
    [id, owner],
  );
  let values = 0;
  for (const row of rows) {
    const edits = [
      ...text.map((column) => [column, edit] as const),
      ...json.map((column) => [column, (value: string) => editJson(value, edit)] as const),
    ];
    const set = edits.flatMap(([column, change]): [string, string][] => {
      const before = row[column];
      const after = before === null || before === undefined ? before : change(before);
      return after === before || after === null || after === undefined ? [] : [[column, after]];
    });
    if (set.length === 0) continue;
    values += set.length;
    const parameters: unknown[] = [id, owner];
    const next = (value: unknown) => `$${parameters.push(value)}`;
    const assignments = set.map(([column, value]) => `${column} = ${next(value)}`).join(", ");
    const conditions = key.map((column) => `${column} = ${next(row[column])}`).join(" AND ");
    await client.query(
      `UPDATE ${table} SET ${assignments} WHERE session_id = $1 AND owner = $2 AND ${conditions}`,
      parameters,
    );
  }
  return values;
}

async function addEntry(client: Queryable, id: string, owner: string, now: number): Promise<void> {
  const { rows } = await client.query<{ revision: number }>(
    "UPDATE agent_sessions SET revision = revision + 1 WHERE id = $1 AND owner = $2 RETURNING revision",
    [id, owner],
  );
  const revision = Number(rows[0]?.revision ?? 0);
  const entry = entryToSql(rewriteEntry(revision, now));
  await client.query(
    `INSERT INTO session_journal (session_id, owner, revision, at, actor, surface, operation, changes, idempotency_key, result)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      id,
      owner,
      revision,
      entry.at,
      entry.actor,
      entry.surface,
      entry.operation,
      entry.changes,
      entry.idempotency_key,
      entry.result,
    ],
  );
  await client.query("SELECT pg_notify('holdfast', $1)", [
    JSON.stringify({ owner, sessionId: id, revision }),
  ]);
}

/** The statements that write the tables anew, without the rows' old versions. Each runs on its own. */
export const eraseStatements: readonly string[] = [
  "agent_sessions",
  "session_records",
  "session_journal",
  "ledger_calls",
  "ledger_pieces",
].map((table) => `VACUUM (FULL, ANALYZE) ${table}`);

/** What a client cannot clear. */
export const remainsInPostgres =
  "Postgres keeps the old text in its own write-ahead log until checkpoints recycle those files, and in archived logs, replicas and base backups until you remove them. A superuser can shorten the first with CHECKPOINT and SELECT pg_switch_wal().";
