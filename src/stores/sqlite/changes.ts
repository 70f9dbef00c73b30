import type { StatementSync } from "node:sqlite";
import type { Scope, StoreChange } from "../store.ts";
import { rowsAs } from "./typed-rows.ts";

/** Changes that are kept for watchers; one that has missed more looks at every session. */
const keptChanges = 1_000;
/** Old ones are removed in steps, because every removal changes a page more. */
const removedAtOnce = 100;

interface Statements {
  prepare(sql: string): StatementSync;
}

export type NumberedChange = StoreChange & { number: number };

/** Notes a commit, in its transaction, for the watchers of other processes. */
export function addChange(rows: Statements, { owner, sessionId }: Scope, revision: number): void {
  const { lastInsertRowid } = rows
    .prepare("INSERT INTO store_changes (owner, session_id, revision) VALUES (?, ?, ?)")
    .run(owner, sessionId, revision);
  const number = Number(lastInsertRowid);
  if (number % removedAtOnce === 0)
    rows.prepare("DELETE FROM store_changes WHERE number <= ?").run(number - keptChanges);
}

/** The last number stays, so that the next one is new to every watcher. */
export function forgetChanges(rows: Statements, { owner, sessionId }: Scope): void {
  rows
    .prepare("UPDATE store_changes SET owner = '', session_id = '' WHERE owner = ? AND session_id = ?")
    .run(owner, sessionId);
}

export function lastChange(rows: Statements): number {
  return Number(rows.prepare("SELECT max(number) AS last FROM store_changes").get()?.last ?? 0);
}

/** What was committed after a change, each session once with its newest revision. */
export function changesAfter(rows: Statements, seen: number): { changes: StoreChange[]; last: number } {
  const found = rowsAs<NumberedChange>(
    rows
      .prepare(
        "SELECT number, owner, session_id AS sessionId, revision FROM store_changes WHERE number > ? ORDER BY number",
      )
      .all(seen),
  );
  const last = found.at(-1)?.number ?? seen;
  const isComplete = (found[0]?.number ?? seen + 1) === seen + 1;
  const changes = isComplete ? found : everySession(rows);
  const newest = new Map(
    changes
      .filter(({ sessionId }) => sessionId !== "")
      .map(({ owner, sessionId, revision }) => [`${sessionId}\n${owner}`, { owner, sessionId, revision }]),
  );
  return { changes: [...newest.values()], last };
}

function everySession(rows: Statements): StoreChange[] {
  return rowsAs<StoreChange>(
    rows.prepare("SELECT owner, id AS sessionId, revision FROM agent_sessions ORDER BY updated_at, id").all(),
  );
}
