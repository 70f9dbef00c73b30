import { parseSync } from "libpg-query";
import { sessionTables } from "../../sql-store.ts";

/** Tables that are distributed by session, with the column that names the session. */
const distributed: Record<string, string> = sessionTables;

const volatileFunctions = ["clock_timestamp", "random", "gen_random_uuid", "nextval"];

type Node = Record<string, unknown>;

/** The statements that a distributed engine could not run on one shard, or that would make each commit wait. */
export function violationsOf(sql: string): string[] {
  const tree = parse(sql);
  const found: string[] = [];
  const announces = nodes(tree, "NotifyStmt").length > 0 || calls(tree).includes("pg_notify");
  if (announces && !calls(tree).every((name) => ["pg_notify", "unnest"].includes(name)))
    found.push("announces inside a commit");
  for (const kind of ["SelectStmt", "UpdateStmt", "DeleteStmt", "InsertStmt"] as const)
    for (const statement of nodes(tree, kind)) found.push(...violationsOfOne(kind, statement));
  return found.map((violation) => `${violation}: ${sql.replace(/\s+/g, " ").trim().slice(0, 200)}`);
}

/** Names of the distributed tables that a statement reads or writes. */
export function tablesIn(sql: string): string[] {
  const names = ["RangeVar", "relation"].flatMap((kind) =>
    nodes(parse(sql), kind).map((table) => String(table.relname)),
  );
  return [...new Set(names)].filter((name) => name in distributed);
}

/** The statements of a message. */
export function statementsIn(message: string): string[] {
  const bytes = Buffer.from(message);
  const { stmts = [] } = parse(message) as { stmts?: { stmt_location?: number; stmt_len?: number }[] };
  return stmts.map(({ stmt_location: start = 0, stmt_len: length }) =>
    bytes.subarray(start, length ? start + length : undefined).toString(),
  );
}

function parse(sql: string): Node {
  return parseSync(sql) as unknown as Node;
}

function violationsOfOne(kind: string, statement: Node): string[] {
  const tables = ownTables(statement);
  const names = tables.map((table) => String(table.relname)).filter((name) => name in distributed);
  if (names.length === 0) return [];
  const found: string[] = [];
  if (kind !== "SelectStmt" && calls(statement).some((name) => volatileFunctions.includes(name)))
    found.push("calls a volatile function, which a distributed engine refuses");
  const hasFunction = nodes(statement.fromClause ?? statement.usingClause, "RangeFunction").length > 0;
  if (hasFunction || (kind === "UpdateStmt" && statement.fromClause) || statement.usingClause)
    found.push("joins rows from elsewhere, so it is pulled to the coordinator");
  if (kind !== "SelectStmt" && statement.withClause) found.push("modifies in a CTE");
  if (kind === "InsertStmt") {
    const select = (statement.selectStmt as Node | undefined)?.SelectStmt as Node | undefined;
    if (!select?.valuesLists) return [...found, "INSERT … SELECT is pulled to the coordinator"];
    const columns = (statement.cols as { ResTarget: { name: string } }[]).map(
      ({ ResTarget }) => ResTarget.name,
    );
    for (const name of names) {
      const place = columns.indexOf(distributed[name] ?? "");
      const rows = select.valuesLists as { List: { items: Node[] } }[];
      if (!rows.every(({ List }) => isSession(List.items[place])))
        found.push(`inserts into ${name} without a session`);
    }
    return found;
  }
  const conditions = conjuncts(statement.whereClause as Node | undefined);
  for (const name of names)
    if (!conditions.some((condition) => namesSession(condition, distributed[name] ?? "")))
      found.push(`reads or changes ${name} without one session`);
  if (!conditions.some((condition) => namesSession(condition, "owner")))
    found.push("does not name the owner");
  return found;
}

/** The tables of this statement, not of its subqueries. */
function ownTables(statement: Node): Node[] {
  const { relation, fromClause, usingClause } = statement;
  const target = relation ? [relation as Node] : [];
  return [...target, ...nodes(withoutSubqueries([fromClause, usingClause]), "RangeVar")];
}

function withoutSubqueries(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSubqueries);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) =>
      key === "RangeSubselect" ? [] : [[key, withoutSubqueries(each)]],
    ),
  );
}

function conjuncts(where: Node | undefined): Node[] {
  if (!where) return [];
  const { boolop, args } = (where.BoolExpr ?? {}) as { boolop?: string; args?: Node[] };
  return boolop === "AND_EXPR" ? (args ?? []).flatMap(conjuncts) : [where];
}

/** `column = $1`. */
function namesSession(condition: Node, column: string): boolean {
  const { kind, name, lexpr, rexpr } = (condition.A_Expr ?? {}) as {
    kind?: string;
    name?: { String: { sval: string } }[];
    lexpr?: Node;
    rexpr?: Node;
  };
  const fields = ((lexpr?.ColumnRef as Node | undefined)?.fields ?? []) as { String?: { sval: string } }[];
  return (
    kind === "AEXPR_OP" &&
    name?.[0]?.String.sval === "=" &&
    fields.at(-1)?.String?.sval === column &&
    isSession(rexpr)
  );
}

function isSession(node: Node | undefined): boolean {
  return node?.ParamRef !== undefined;
}

function calls(tree: unknown): string[] {
  return nodes(tree, "FuncCall").map((call) => {
    const names = call.funcname as { String: { sval: string } }[];
    return names.at(-1)?.String.sval ?? "";
  });
}

/** All nodes of a kind, at any depth. */
function nodes(value: unknown, kind: string): Node[] {
  if (Array.isArray(value)) return value.flatMap((each) => nodes(each, kind));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => [
    ...(key === kind ? [each as Node] : []),
    ...nodes(each, kind),
  ]);
}
