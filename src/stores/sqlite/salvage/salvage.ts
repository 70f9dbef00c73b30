import type { JournalEntry, LoggedOperation, SessionBirth } from "../../../engine/journal.ts";
import type { Json } from "../../../engine/json.ts";
import type { RecordKind } from "../../../engine/records.ts";
import type { SessionExport } from "../../../engine/session-document.ts";
import type { LineageStep } from "../../../engine/state.ts";
import { applySplice } from "../../../engine/text.ts";
import { type Found, type FoundRows, findRows, type StartProgress } from "./find-rows.ts";

export interface Salvage {
  documents: SessionExport[];
  /** What could not be read, for the user. */
  losses: string[];
}

/** Recovers the readable sessions of a damaged SQLite file, without changing it. Default: all but the deleted ones. */
export function salvage(path: string, idPrefix: string | undefined, startProgress?: StartProgress): Salvage {
  const rows = findRows(path, startProgress);
  const losses: string[] = [];
  const documents = [...rows.sessions].flatMap(([id, found]) => {
    const isSelected = idPrefix === undefined ? !isDeleted(found) : id.startsWith(idPrefix);
    return isSelected ? [rebuild(id, found, rows, losses)] : [];
  });
  if (rows.brokenPages > 0) losses.push(`${rows.brokenPages} pages of the file could not be read.`);
  for (const name of rows.broken) losses.push(`Damaged, and left out: ${name}.`);
  return { documents, losses };
}

/** Rebuilds a session from its rows; fills in what is missing from the journal's newest entries without a gap. */
function rebuild(id: string, found: Found, rows: FoundRows, losses: string[]): SessionExport {
  const lineage = found.session?.lineage ?? lineageIn(found, rows);
  const records = new Map<string, Json>();
  const entries = new Map<number, JournalEntry>();
  for (const { sessionId, revision } of lineage.toReversed()) {
    const ancestor = rows.sessions.get(sessionId);
    if (!ancestor) losses.push(`Session ${id} is a fork of ${sessionId}, which could not be read.`);
    else collectRows(ancestor, revision, records, entries);
  }
  collectRows(found, Number.MAX_SAFE_INTEGER - 1, records, entries);
  const journal = [...entries.values()].sort((a, b) => a.revision - b.revision);
  const newest = found.session?.revision ?? journal.at(-1)?.revision ?? 0;
  const replayed = replayTail(journal, newest);
  for (const [name, value] of replayed.records) if (!records.has(name)) records.set(name, value);
  const notepad =
    found.session?.notepad === undefined ? replayed.texts.get("notepad") : found.session.notepad;
  if (!found.session)
    losses.push(`The row of session ${id} could not be read; it was rebuilt from the history.`);
  if (notepad === undefined && found.session?.notepad === undefined)
    losses.push(`The notepad of session ${id} could not be read.`);
  if (journal.length < newest)
    losses.push(
      `${newest - journal.length} of ${newest} entries in the history of session ${id} are missing.`,
    );
  const { agent = "default", title = null, parent = null } = found.session ?? {};
  const times = journal.map(({ at }) => at);
  return {
    format: "holdfast-session",
    version: 1,
    session: {
      id,
      agent,
      title,
      parent,
      createdAt: found.session?.createdAt ?? times[0] ?? 0,
      updatedAt: found.session?.updatedAt ?? times.at(-1) ?? 0,
      revision: Math.max(newest, journal.at(-1)?.revision ?? 0),
    },
    notepad: notepad ?? null,
    records: byKind(records),
    journal,
  };
}

function isDeleted({ session, entries }: Found): boolean {
  if (session) return session.status === "deleted";
  const changes = [...entries.values()]
    .sort((a, b) => a.revision - b.revision)
    .flatMap(({ changes }) => changes);
  const last = changes.findLast((change) => change.type === "field" && change.field === "status");
  return last?.type === "field" && last.after === "deleted";
}

/** A fork's first entry names its parent and revision. */
function lineageIn({ entries }: Found, rows: FoundRows, depth = 0): LineageStep[] {
  for (const { operation } of entries.values()) {
    if (!isFork(operation) || depth > rows.sessions.size) continue;
    const parent = rows.sessions.get(operation.from);
    const older = parent?.session?.lineage ?? (parent ? lineageIn(parent, rows, depth + 1) : []);
    return [{ sessionId: operation.from, revision: operation.at }, ...older];
  }
  return [];
}

function isFork(operation: LoggedOperation): operation is Extract<SessionBirth, { type: "session.forked" }> {
  return operation.type === "session.forked";
}

/** Adds a session's rows as of a revision. */
function collectRows(
  { records, entries }: Found,
  at: number,
  into: Map<string, Json>,
  journal: Map<number, JournalEntry>,
): void {
  const inOrder = records.toSorted((a, b) => a.from - b.from);
  for (const { kind, key, from, to, value } of inOrder)
    if (from <= at && at < to) into.set(`${kind}/${key}`, value);
  for (const [revision, entry] of entries) if (revision <= at) journal.set(revision, entry);
}

/** Replays the newest entries without a gap: the records they wrote, and the texts they wrote from the start. */
function replayTail(journal: readonly JournalEntry[], newest: number) {
  const tail: JournalEntry[] = [];
  for (const entry of journal.toReversed()) {
    if (entry.revision !== newest - tail.length) break;
    tail.unshift(entry);
  }
  const records = new Map<string, Json>();
  const texts = new Map<string, string | undefined>();
  for (const { changes, operation } of tail) {
    for (const change of changes) {
      if (change.type === "record") records.set(`${change.kind}/${change.key}`, change.after);
      if (change.type !== "text") continue;
      const whole = operation.type === "notepad.write" ? contentOf(operation) : undefined;
      const before = change.first ? "" : texts.get(change.target);
      const fits = before?.slice(change.at, change.at + change.removed.length) === change.removed;
      texts.set(
        change.target,
        whole ?? (before !== undefined && fits ? applySplice(before, change) : undefined),
      );
    }
  }
  for (const [target, text] of texts)
    if (target !== "notepad" && text !== undefined) records.set(target, text);
  return { records, texts };
}

function byKind(records: ReadonlyMap<string, Json>): SessionExport["records"] {
  const named = [...records]
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ({ kind: name.slice(0, name.indexOf("/")), name, value }));
  const kinds = [...Map.groupBy(named, ({ kind }) => kind)].map(([kind, group]) => {
    const values = group.map(({ name, value }) => [name.slice(kind.length + 1), value] as const);
    return [kind, Object.fromEntries(values)] as const;
  });
  return Object.fromEntries(kinds) as Partial<Record<RecordKind, Record<string, Json>>>;
}

function contentOf(operation: LoggedOperation & { content?: unknown }): string | undefined {
  return typeof operation.content === "string" ? operation.content : undefined;
}
