import type { JournalEntry } from "../engine/journal.ts";
import type { Json } from "../engine/json.ts";
import type { SessionTable } from "./sql-store.ts";

/** Replaces parts of a text by as many characters, so that positions in the journal stay right. */
export type TextEdit = (text: string) => string;

/** The changes of a rewrite, and the old text that it could not clear. */
export interface Rewritten {
  sessions: { owner: string; sessionId: string }[];
  /** How many stored values changed. */
  values: number;
  /** One sentence for each place that still has the old text, and when it will be gone. */
  remaining: string[];
}

/** Edits every string of a value, and the names of its fields. Returns the value itself if nothing changes. */
export function editValue<T>(value: T, edit: TextEdit): T {
  if (typeof value === "string") return edit(value) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => editValue(item, edit));
    return items.some((item, index) => item !== value[index]) ? (items as T) : value;
  }
  let changed = false;
  const entries = Object.entries(value).map(([key, item]) => {
    const [name, edited] = [edit(key), editValue(item, edit)];
    changed ||= name !== key || edited !== item;
    return [name, edited];
  });
  return changed ? (Object.fromEntries(entries) as T) : value;
}

/** Edits the strings in a JSON text; the text itself if it is not JSON. */
function editJson(json: string, edit: TextEdit): string {
  let value: Json;
  try {
    value = JSON.parse(json) as Json;
  } catch {
    return edit(json);
  }
  const edited = editValue(value, edit);
  return edited === value ? json : JSON.stringify(edited);
}

/** The columns with text of each SQL table, and those that name a row besides its session. */
export const textTables: readonly {
  table: SessionTable;
  key: readonly string[];
  text: readonly string[];
  json: readonly string[];
}[] = [
  { table: "agent_sessions", key: [], text: ["title", "notepad"], json: [] },
  { table: "session_records", key: ["kind", "key", "to_revision"], text: ["key"], json: ["value"] },
  {
    table: "session_journal",
    key: ["revision"],
    text: ["idempotency_key"],
    json: ["actor", "operation", "changes", "result"],
  },
  { table: "ledger_calls", key: ["number"], text: [], json: ["facts"] },
  { table: "ledger_pieces", key: ["hash"], text: ["text"], json: [] },
];

/** The columns of a row that an edit changes, with their new values. */
export function editRow(
  { text, json }: (typeof textTables)[number],
  row: Readonly<Record<string, unknown>>,
  edit: TextEdit,
): [column: string, value: string][] {
  return [...text, ...json].flatMap((column): [string, string][] => {
    const before = row[column];
    if (typeof before !== "string") return [];
    const after = json.includes(column) ? editJson(before, edit) : edit(before);
    return after === before ? [] : [[column, after]];
  });
}

/** The journal's entry for a rewrite. Its revision makes other processes load the session again. */
export function rewriteEntry(revision: number, at: number): JournalEntry {
  return {
    revision,
    at,
    actor: { kind: "person" },
    surface: "session",
    operation: { type: "session.redact" },
    changes: [],
    key: null,
    result: null,
  };
}
