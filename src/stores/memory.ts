import type { JournalEntry } from "../engine/journal.ts";
import { CallTable } from "./ledger.ts";
import { editValue, rewriteEntry, type TextEdit } from "./rewrite.ts";
import { selectSessions } from "./select-sessions.ts";
import { SessionTable, selectEntries } from "./session-table.ts";
import { Listeners, type Scope, type Store, summaryOf } from "./store.ts";

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

  const find = ({ owner, sessionId }: Scope): MemorySession | undefined => {
    const session = sessions.get(sessionId);
    return session?.table.row.owner === owner ? session : undefined;
  };
  const entryAt = (session: MemorySession, revision: number): JournalEntry | undefined =>
    session.journal[revision - (session.journal[0]?.revision ?? 0)];

  return {
    name: "memory",
    async create({ row, records, versions = [], entries }) {
      if (sessions.has(row.id)) return false;
      const keys = entries.flatMap((entry): [string, number][] =>
        entry.key ? [[entry.key, entry.revision]] : [],
      );
      const table = new SessionTable(row, records);
      table.restoreAll(versions);
      sessions.set(row.id, {
        calls: new CallTable(),
        table,
        journal: [...entries],
        revisionByKey: new Map(keys),
      });
      listeners.notify({ owner: row.owner, sessionId: row.id, revision: row.revision });
      return true;
    },
    async load(scope) {
      const session = find(scope);
      return session && { row: session.table.row, records: session.table.resident() };
    },
    revision: (scope) => find(scope)?.table.row.revision,
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
      return find(scope) !== undefined && sessions.delete(scope.sessionId);
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
