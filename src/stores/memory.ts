import type { JournalEntry } from "../engine/journal.ts";
import type { Json } from "../engine/json.ts";
import { compareKeys, type RecordKind, residentKinds } from "../engine/records.ts";
import type { SessionRow } from "../engine/state.ts";
import type { CallSelection, LedgerCall, LedgerPiece } from "./ledger.ts";
import { editValue, rewriteEntry, type TextEdit } from "./rewrite.ts";
import {
  Listeners,
  openEnd,
  type RecordSelection,
  type RecordVersion,
  type Scope,
  type SessionSelection,
  type SessionSummary,
  type Store,
  type StoredRecord,
  summaryOf,
} from "./store.ts";
import type { CallTrim } from "./trim.ts";

interface MemorySession {
  calls: CallTable;
  table: SessionTable;
  journal: JournalEntry[];
  revisionByKey: Map<string, number>;
}

/** Keeps sessions in process memory only: for tests, and for agents that need no persistence. */
export function memoryStore(): Store {
  const sessions = new Map<string, MemorySession>();
  const listeners = new Listeners();

  const keyOf = ({ owner, sessionId }: Scope): string => JSON.stringify([owner, sessionId]);
  const find = (scope: Scope): MemorySession | undefined => sessions.get(keyOf(scope));
  const entryAt = (session: MemorySession, revision: number): JournalEntry | undefined =>
    session.journal[revision - (session.journal[0]?.revision ?? 0)];

  return {
    async create({ row, records, versions = [], entries }) {
      const scope = { owner: row.owner, sessionId: row.id };
      if (find(scope)) return false;
      const keys = entries.flatMap((entry): [string, number][] =>
        entry.key ? [[entry.key, entry.revision]] : [],
      );
      const table = new SessionTable(row, records);
      table.restoreAll(versions);
      sessions.set(keyOf(scope), {
        calls: new CallTable(),
        table,
        journal: [...entries],
        revisionByKey: new Map(keys),
      });
      listeners.notify({ ...scope, revision: row.revision });
      return true;
    },
    async load(scope) {
      const session = find(scope);
      return session && { row: session.table.row, records: session.table.resident() };
    },
    revision: async (scope) => find(scope)?.table.row.revision,
    async commit({ scope, expected, row, records, entry }) {
      const session = find(scope);
      if (
        !session ||
        session.table.row.revision !== expected ||
        session.table.row.createdAt !== row.createdAt
      )
        return false;
      session.table.write(row, records);
      session.journal.push(entry);
      if (entry.key) session.revisionByKey.set(entry.key, entry.revision);
      listeners.notify({ ...scope, revision: row.revision });
      return true;
    },
    async records(scope, selection) {
      return find(scope)?.table.select(selection) ?? [];
    },
    async versions(scope) {
      return find(scope)?.table.allVersions() ?? [];
    },
    async journal(scope, selection) {
      return structuredClone(selectEntries(find(scope)?.journal ?? [], selection));
    },
    async entryByKey(scope, key) {
      const session = find(scope);
      const revision = session?.revisionByKey.get(key);
      return session && revision !== undefined ? entryAt(session, revision) : undefined;
    },
    async sessions(owner, selection) {
      return selectSessions(
        [...sessions.values()].map(({ table }) => summaryOf(table.row)),
        owner,
        selection,
      );
    },
    async purge(scope) {
      return sessions.delete(keyOf(scope));
    },
    async rewrite(owners, edit, now) {
      const changed = [...sessions.values()].filter(
        (session) => owners.includes(session.table.row.owner) && rewriteSession(session, edit, now),
      );
      for (const { table } of changed)
        listeners.notify({ owner: table.row.owner, sessionId: table.row.id, revision: table.row.revision });
      return {
        sessions: changed.map(({ table }) => ({ owner: table.row.owner, sessionId: table.row.id })),
        values: changed.length,
        remaining: [],
      };
    },
    ledger: {
      record: async (scope, call, pieces) => find(scope)?.calls.record(call, pieces).number,
      calls: async (scope, selection) => find(scope)?.calls.select(selection) ?? [],
      pieces: async (scope, hashes) => find(scope)?.calls.pieces(hashes) ?? new Map(),
      restore: async (scope, calls, pieces) => find(scope)?.calls.restore(calls, pieces),
    },
    trimming: {
      oldest: async (scope, limit) => find(scope)?.journal.slice(0, limit) ?? [],
      async dropEntries(scope, before) {
        const session = find(scope);
        if (!session) return 0;
        const kept = session.journal.filter(({ revision }) => revision >= before);
        const dropped = session.journal.length - kept.length;
        session.journal = kept;
        for (const [key, revision] of session.revisionByKey)
          if (revision < before) session.revisionByKey.delete(key);
        return dropped;
      },
      dropCalls: async (scope, plan) => find(scope)?.calls.trim(plan) ?? false,
      size: async () => undefined,
    },
    async watch(listener) {
      return listeners.add(listener);
    },
    async close() {
      sessions.clear();
    },
  };
}

/** Edits a session's text in place; false if there was nothing to edit. */
function rewriteSession(session: MemorySession, edit: TextEdit, now: number): boolean {
  const { row } = session.table;
  const versions = [...session.table.versions()];
  const before = { title: row.title, notepad: row.notepad, versions, journal: session.journal };
  const texts = [...session.calls.texts];
  const [after, pieces] = [editValue(before, edit), editValue(texts, edit)];
  if (after === before && pieces === texts) return false;
  const entry = rewriteEntry(row.revision + 1, now);
  session.table = new SessionTable({
    ...row,
    title: after.title,
    notepad: after.notepad,
    revision: entry.revision,
  });
  for (const [kind, key, each] of after.versions) session.table.restore(kind, key, each);
  session.journal = [...after.journal, entry];
  for (const [hash, piece] of pieces) session.calls.texts.set(hash, piece);
  return true;
}

/** One version of a record, valid from revision `from` up to, not including, `to`. */
interface Version {
  from: number;
  to: number;
  value: Json;
}

/** The rows of one session. */
class SessionTable {
  row: SessionRow;
  readonly #records = new Map<RecordKind, Map<string, Version[]>>();

  constructor(row: SessionRow, records: readonly StoredRecord[] = []) {
    this.row = row;
    for (const { kind, key, value } of records)
      this.restore(kind, key, [{ from: row.revision, to: openEnd, value }]);
  }

  /** Keeps old versions only while a fork can read them. */
  write(row: SessionRow, records: readonly StoredRecord[]): void {
    for (const { kind, key, value } of records) {
      const versions = this.#kind(kind).get(key) ?? [];
      const current = versions.at(-1);
      const shared = current && current.to === openEnd && current.from <= row.lastFork;
      const kept = shared
        ? [...versions.slice(0, -1), { ...current, to: row.revision }]
        : versions.filter(isClosed);
      const gone = value === null && row.lineage.length === 0;
      const next = gone ? kept : [...kept, { from: row.revision, to: openEnd, value }];
      if (next.length > 0) this.#kind(kind).set(key, next);
      else this.#kind(kind).delete(key);
    }
    this.row = row;
  }

  restore(kind: RecordKind, key: string, versions: Version[]): void {
    this.#kind(kind).set(key, versions);
  }

  restoreAll(versions: readonly RecordVersion[]): void {
    for (const { kind, key, from, to, value } of versions)
      this.restore(kind, key, [...(this.#kind(kind).get(key) ?? []), { from, to, value }]);
  }

  /** By kind, key and time. */
  allVersions(): RecordVersion[] {
    const found = [...this.versions()].flatMap(([kind, key, versions]) =>
      versions.map((version) => ({ kind, key, ...structuredClone(version) })),
    );
    return found.sort((a, b) => compareKeys(a.kind, b.kind) || compareKeys(a.key, b.key) || a.to - b.to);
  }

  *versions(): Generator<[kind: RecordKind, key: string, versions: Version[]]> {
    for (const [kind, records] of this.#records)
      for (const [key, versions] of records) yield [kind, key, versions];
  }

  resident(): StoredRecord[] {
    return this.select({ kinds: residentKinds }).filter(({ value }) => value !== null);
  }

  select({ kinds, keys, from, to, at = openEnd - 1 }: RecordSelection): StoredRecord[] {
    const found: StoredRecord[] = [];
    for (const kind of [...kinds].sort()) {
      const records = this.#kind(kind);
      const names =
        keys ??
        [...records.keys()].filter(
          (key) =>
            (from === undefined || compareKeys(key, from) >= 0) &&
            (to === undefined || compareKeys(key, to) <= 0),
        );
      for (const key of [...names].sort(compareKeys)) {
        const version = records.get(key)?.find((each) => each.from <= at && at < each.to);
        // Copy, because callers may modify the record.
        if (version) found.push({ kind, key, value: structuredClone(version.value) });
      }
    }
    return found;
  }

  #kind(kind: RecordKind): Map<string, Version[]> {
    let records = this.#records.get(kind);
    if (!records) {
      records = new Map();
      this.#records.set(kind, records);
    }
    return records;
  }
}

function isClosed(version: Version): boolean {
  return version.to !== openEnd;
}

function selectEntries(
  entries: readonly JournalEntry[],
  {
    from = 0,
    to = openEnd,
    limit = openEnd,
    newestFirst = false,
  }: { from?: number; to?: number; limit?: number; newestFirst?: boolean },
): JournalEntry[] {
  const inside = entries.filter(({ revision }) => revision >= from && revision <= to);
  return (newestFirst ? inside.toReversed() : inside).slice(0, limit);
}

/** A session's model calls. */
class CallTable {
  calls: LedgerCall[] = [];
  readonly texts = new Map<string, LedgerPiece>();

  record(call: Omit<LedgerCall, "number">, pieces: ReadonlyMap<string, LedgerPiece>): LedgerCall {
    for (const [hash, piece] of pieces) if (!this.texts.has(hash)) this.texts.set(hash, piece);
    const numbered = { number: (this.calls.at(-1)?.number ?? 0) + 1, ...call };
    this.calls.push(numbered);
    return numbered;
  }

  select({ from = 1, to = Number.MAX_SAFE_INTEGER, limit, newestFirst }: CallSelection): LedgerCall[] {
    const found = this.calls.filter(({ number }) => number >= from && number <= to);
    return (newestFirst ? found.toReversed() : found).slice(0, limit);
  }

  restore(calls: readonly LedgerCall[], pieces: ReadonlyMap<string, LedgerPiece>): void {
    for (const [hash, piece] of pieces) if (!this.texts.has(hash)) this.texts.set(hash, piece);
    const known = new Set(this.calls.map(({ number }) => number));
    this.calls.push(...calls.filter(({ number }) => !known.has(number)));
    this.calls.sort((a, b) => a.number - b.number);
  }

  /** False if another call was recorded since the plan was made. */
  trim(plan: CallTrim): boolean {
    if (this.calls.at(-1)?.number !== plan.last) return false;
    this.calls = trimmedCalls(this.calls, plan);
    for (const hash of plan.unused) this.texts.delete(hash);
    return true;
  }

  pieces(hashes: readonly string[]): Map<string, LedgerPiece> {
    const found = hashes.flatMap((hash): [string, LedgerPiece][] => {
      const piece = this.texts.get(hash);
      return piece ? [[hash, piece]] : [];
    });
    return new Map(found);
  }
}

/** The calls after a trim. */
function trimmedCalls(calls: readonly LedgerCall[], { remove, rewrite }: CallTrim): LedgerCall[] {
  const gone = new Set(remove);
  const whole = new Map(rewrite.map(({ number, pieces }) => [number, pieces]));
  return calls
    .filter(({ number }) => !gone.has(number))
    .map((call) => {
      const pieces = whole.get(call.number);
      return pieces ? { ...call, base: 0, kept: 0, pieces } : call;
    });
}

/** Filters and sorts sessions. */
function selectSessions(
  all: SessionSummary[],
  owner: string,
  { agent, statuses, parent, limit, after }: SessionSelection,
): SessionSummary[] {
  return all
    .filter(
      (each) =>
        each.owner === owner &&
        (agent === undefined || each.agent === agent) &&
        (parent === undefined || each.parent === parent) &&
        (statuses === undefined || statuses.includes(each.status)) &&
        (after === undefined ||
          each.updatedAt < after.updatedAt ||
          (each.updatedAt === after.updatedAt && each.id > after.id)),
    )
    .sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1))
    .slice(0, limit);
}
