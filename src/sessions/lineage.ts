import type { HistoryStart } from "../engine/history-start.ts";
import { compareKeys, type RecordValue, recordId } from "../engine/records.ts";
import type { LineageStep, SessionRow, State } from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import type { JournalSelection, RecordSelection, Scope, Store, StoredRecord } from "../stores/store.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import type { MemoryConfig } from "./options.ts";

/**
 * Reads a fork's records: its own rows and deletions first, then its ancestors' rows as of the fork. So forking
 * does not copy notes or messages.
 */
export async function readRecords(
  store: Store,
  row: SessionRow,
  selection: RecordSelection,
): Promise<StoredRecord[]> {
  const own = await store.records(scopeOf(row), selection);
  if (row.lineage.length === 0) return own;
  const found = new Map(own.map((record) => [`${record.kind}/${record.key}`, record]));
  for (const step of row.lineage) {
    const inherited = await store.records(
      { owner: row.owner, sessionId: step.sessionId },
      { ...selection, at: step.revision },
    );
    for (const record of inherited) {
      const id = `${record.kind}/${record.key}`;
      if (!found.has(id)) found.set(id, record);
    }
  }
  return [...found.values()]
    .filter(({ value }) => value !== null)
    .sort((a, b) => compareKeys(a.kind, b.kind) || compareKeys(a.key, b.key));
}

/**
 * A fork's journal continues its ancestor's from the forked revision. It never has a gap: where retention has shortened
 * a part, the older parts do not belong to it any longer.
 */
export async function readJournal(
  store: Store,
  row: SessionRow,
  selection: JournalSelection,
): Promise<JournalEntry[]> {
  const { from = 0, to = row.revision, limit = Number.MAX_SAFE_INTEGER, newestFirst = false } = selection;
  const parts = await joinedParts(store, row, from);
  const entries: JournalEntry[] = [];
  for (const part of newestFirst ? parts : parts.toReversed()) {
    const range = { from: Math.max(from, part.from), to: Math.min(to, part.to) };
    if (range.from > range.to || entries.length >= limit) continue;
    const scope = { owner: row.owner, sessionId: part.sessionId };
    for (const entry of await store.journal(scope, { ...range, limit: limit - entries.length, newestFirst }))
      entries.push(entry as JournalEntry);
  }
  return entries;
}

/** The oldest entry of a history that retention has shortened; undefined if it is whole. */
export async function readHistoryStart(store: Store, row: SessionRow): Promise<HistoryStart | undefined> {
  const [first] = await readJournal(store, row, { limit: 1 });
  if (first) return isBirth(first) ? undefined : { revision: first.revision, at: first.at };
  return { revision: row.revision + 1, at: row.updatedAt };
}

/** An import brings its own history along, which may have been shortened where it came from. */
function isBirth({ revision, operation: { type } }: JournalEntry): boolean {
  return revision === 1 || type === "session.create" || type === "session.import";
}

/** The parts of a session's journal down to a revision, newest first, up to the first that does not reach the next. */
async function joinedParts(store: Store, row: SessionRow, from: number): Promise<Part[]> {
  const parts = partsOf(row);
  const joined: Part[] = [];
  for (const part of parts) {
    joined.push(part);
    if (part.from <= from || part === parts.at(-1)) break;
    const [first] = await store.journal(
      { owner: row.owner, sessionId: part.sessionId },
      { ...part, limit: 1 },
    );
    if (first?.revision !== part.from) break;
  }
  return joined;
}

interface Part {
  sessionId: string;
  from: number;
  to: number;
}

/** Which session holds which revisions, newest first. */
function partsOf(row: SessionRow): Part[] {
  const steps: LineageStep[] = [{ sessionId: row.id, revision: row.revision }, ...row.lineage];
  return steps.map(({ sessionId, revision }, index) => ({
    sessionId,
    from: (steps[index + 1]?.revision ?? -1) + 1,
    to: revision,
  }));
}

export function scopeOf(row: { owner: string; id: string }): Scope {
  return { owner: row.owner, sessionId: row.id };
}

/** The current state of a session; undefined if there is none. */
export async function loadState(
  setting: Pick<MemoryConfig, "store">,
  owner: string,
  sessionId: string,
): Promise<State | undefined> {
  const loaded = await setting.store.load({ owner, sessionId });
  if (!loaded) return undefined;
  return {
    row: loaded.row,
    resident: new Map(
      loaded.records.map(({ kind, key, value }) => [recordId(kind, key), value as RecordValue]),
    ),
  };
}

export function sessionNotFound(id: string): HoldfastError {
  return new HoldfastError(
    "session_not_found",
    `There is no session ${JSON.stringify(id)}. List the sessions, or create it.`,
    {
      data: { sessionId: id },
    },
  );
}
