import type { JournalEntry } from "../../engine/journal.ts";
import { openEnd, type Scope, type Store, type StoredRecord } from "../../stores/store.ts";
import type { BrokenStore } from "./broken-stores.ts";

const asOwner = (scope: Scope): Scope => ({ ...scope, owner: "owner" });
const hidden = "hides a session from every other owner";
const selecting = "selects records by kind, key and range, in order";
const journalRange = "reads the journal by range, from either end";
const listing = "lists an owner's sessions, newest first, by agent, status and parent";
const exactly = "returns exactly what was created";
const idempotency = "finds an entry by its idempotency key, in its own session only";
const together = "commits row, records and journal together, one revision each time";

/** Alters every notepad that is read. */
function readingNotepad(store: Store, alter: (notepad: string | null) => string | null): Partial<Store> {
  return {
    async load(scope) {
      const loaded = await store.load(scope);
      return loaded && { ...loaded, row: { ...loaded.row, notepad: alter(loaded.row.notepad) } };
    },
  };
}

function reading(store: Store, alter: (records: StoredRecord[]) => StoredRecord[]): Partial<Store> {
  return { records: async (scope, selection) => alter(await store.records(scope, selection)) };
}

function reporting(store: Store, alter: (entries: JournalEntry[]) => JournalEntry[]): Partial<Store> {
  return { journal: async (scope, selection) => alter(await store.journal(scope, selection)) };
}

/** Stores that return the wrong thing. */
export const brokenReads: BrokenStore[] = [
  {
    fault: "line endings altered",
    caughtBy: exactly,
    breakIt: (store) => readingNotepad(store, (text) => text?.replaceAll("\r\n", "\n") ?? null),
  },
  {
    fault: "byte order mark lost",
    caughtBy: exactly,
    breakIt: (store) => readingNotepad(store, (text) => text?.replaceAll("\ufeff", "") ?? null),
  },
  {
    fault: "astral characters lost",
    caughtBy: exactly,
    breakIt: (store) =>
      readingNotepad(store, (text) => text?.replace(/[\u{10000}-\u{10ffff}]/gu, "\ufffd") ?? null),
  },
  {
    fault: "unused notepad reads as empty",
    caughtBy: "keeps an unused notepad null and an emptied one empty",
    breakIt: (store) => readingNotepad(store, (text) => text ?? ""),
  },
  {
    fault: "emptied notepad reads as unused",
    caughtBy: "keeps an unused notepad null and an emptied one empty",
    breakIt: (store) => readingNotepad(store, (text) => text || null),
  },
  {
    fault: "load ignores the owner",
    caughtBy: hidden,
    breakIt: (store) => ({ load: (scope) => store.load(asOwner(scope)) }),
  },
  {
    fault: "revision ignores the owner",
    caughtBy: hidden,
    breakIt: (store) => ({ revision: (scope) => store.revision(asOwner(scope)) }),
  },
  {
    fault: "records ignore the owner",
    caughtBy: hidden,
    breakIt: (store) => ({ records: (scope, selection) => store.records(asOwner(scope), selection) }),
  },
  {
    fault: "journal ignores the owner",
    caughtBy: hidden,
    breakIt: (store) => ({ journal: (scope, selection) => store.journal(asOwner(scope), selection) }),
  },
  {
    fault: "entryByKey ignores the owner",
    caughtBy: hidden,
    breakIt: (store) => ({ entryByKey: (scope, key) => store.entryByKey(asOwner(scope), key) }),
  },
  {
    fault: "sessions ignore the owner",
    caughtBy: hidden,
    breakIt: (store) => ({ sessions: (_owner, selection) => store.sessions("owner", selection) }),
  },
  {
    fault: "journal not written",
    caughtBy: together,
    breakIt: (store) => reporting(store, (entries) => entries.slice(0, 1)),
  },
  {
    fault: "notes loaded with the session",
    caughtBy: together,
    breakIt: (store) => ({
      async load(scope) {
        const loaded = await store.load(scope);
        return (
          loaded && {
            ...loaded,
            records: [...loaded.records, ...(await store.records(scope, { kinds: ["note"] }))],
          }
        );
      },
    }),
  },
  {
    fault: "revision never changes",
    caughtBy: together,
    breakIt: (store) => ({
      revision: async (scope) => ((await store.revision(scope)) === undefined ? undefined : 1),
    }),
  },
  {
    fault: "records out of order",
    caughtBy: selecting,
    breakIt: (store) => reading(store, (records) => records.toReversed()),
  },
  {
    fault: "records in JavaScript's order",
    caughtBy: selecting,
    breakIt: (store) =>
      reading(store, (records) =>
        records.toSorted((a, b) => (a.kind === b.kind ? (a.key < b.key ? -1 : 1) : 0)),
      ),
  },
  {
    fault: "range ignored",
    caughtBy: selecting,
    breakIt: (store) => ({
      records: (scope, { from: _from, to: _to, ...rest }) => store.records(scope, rest),
    }),
  },
  {
    fault: "keys ignored",
    caughtBy: selecting,
    breakIt: (store) => ({ records: (scope, { keys: _keys, ...rest }) => store.records(scope, rest) }),
  },
  {
    fault: "kinds ignored",
    caughtBy: selecting,
    breakIt: (store) => ({
      records: (scope, selection) =>
        store.records(scope, { ...selection, kinds: ["message", "note", "ref", "space", "tag"] }),
    }),
  },
  {
    fault: "versions for forks lost",
    caughtBy: "shows records as they were when a fork was taken",
    breakIt: (store) => ({ records: (scope, { at: _at, ...rest }) => store.records(scope, rest) }),
  },
  {
    fault: "removals in forks forgotten",
    caughtBy: "remembers in a fork that an inherited record is gone",
    breakIt: (store) => reading(store, (records) => records.filter(({ value }) => value !== null)),
  },
  {
    fault: "order of the journal lost",
    caughtBy: journalRange,
    breakIt: (store) =>
      reporting(store, (entries) => entries.toSorted((a, b) => (a.revision % 2) - (b.revision % 2))),
  },
  {
    fault: "newest first ignored",
    caughtBy: journalRange,
    breakIt: (store) => ({
      journal: (scope, { newestFirst: _newestFirst, ...rest }) => store.journal(scope, rest),
    }),
  },
  {
    fault: "range of the journal ignored",
    caughtBy: journalRange,
    breakIt: (store) => ({
      journal: (scope, { from: _from, to: _to, ...rest }) => store.journal(scope, rest),
    }),
  },
  {
    fault: "limit of the journal ignored",
    caughtBy: journalRange,
    breakIt: (store) => ({ journal: (scope, { limit: _limit, ...rest }) => store.journal(scope, rest) }),
  },
  {
    fault: "idempotency keys forgotten",
    caughtBy: idempotency,
    breakIt: () => ({ entryByKey: async () => undefined }),
  },
  {
    fault: "answers forgotten",
    caughtBy: idempotency,
    breakIt: (store) => ({
      async entryByKey(scope, key) {
        const entry = await store.entryByKey(scope, key);
        return entry && { ...entry, result: null };
      },
    }),
  },
  {
    fault: "idempotency keys shared by all sessions",
    caughtBy: idempotency,
    breakIt: (store) => ({
      entryByKey: async (scope, key) =>
        (await store.entryByKey(scope, key)) ?? store.entryByKey({ ...scope, sessionId: "a" }, key),
    }),
  },
  {
    fault: "list out of order",
    caughtBy: listing,
    breakIt: (store) => ({
      sessions: async (owner, selection) => (await store.sessions(owner, selection)).toReversed(),
    }),
  },
  {
    fault: "agent ignored",
    caughtBy: listing,
    breakIt: (store) => ({ sessions: (owner, { agent: _agent, ...rest }) => store.sessions(owner, rest) }),
  },
  {
    fault: "status ignored",
    caughtBy: listing,
    breakIt: (store) => ({
      sessions: (owner, { statuses: _statuses, ...rest }) => store.sessions(owner, rest),
    }),
  },
  {
    fault: "a copy has only the newest versions",
    caughtBy: "copies a session with the versions that only its forks read",
    breakIt: (store) => ({
      versions: async (scope) => (await store.versions(scope)).filter(({ to }) => to === openEnd),
    }),
  },
  {
    fault: "parent ignored",
    caughtBy: listing,
    breakIt: (store) => ({ sessions: (owner, { parent: _parent, ...rest }) => store.sessions(owner, rest) }),
  },
  {
    fault: "the place to go on from ignored",
    caughtBy: listing,
    breakIt: (store) => ({ sessions: (owner, { after: _after, ...rest }) => store.sessions(owner, rest) }),
  },
];
