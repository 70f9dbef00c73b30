import type { JournalEntry } from "../../engine/journal.ts";
import type { Scope, StoreChange, StoredRecord } from "../../stores/store.ts";
import type { BrokenStore } from "./broken-stores.ts";

const asOwner = (scope: Scope): Scope => ({ ...scope, owner: "owner" });
const hidden = "hides a session from every other owner";
const conflict = "refuses a commit on an old revision and writes nothing of it";
const removing = "overwrites and removes records";
const purging = "purges a session and nothing else";
const watching = "notifies a watcher of every commit, by this handle and by others, until it stops";
const together = "commits row, records and journal together, one revision each time";

/** Stores that keep or report the wrong thing. */
export const brokenWrites: BrokenStore[] = [
  {
    fault: "create overwrites",
    caughtBy: "refuses an id that is taken and keeps what was there",
    breakIt: (store) => ({
      async create(session) {
        await store.purge({ owner: session.row.owner, sessionId: session.row.id });
        return store.create(session);
      },
    }),
  },
  {
    fault: "create takes an id that another owner has",
    caughtBy: "lets two owners use the same id, each with a session of their own",
    breakIt: (store) => ({
      create: async (session) =>
        (await store.load({ owner: "owner", sessionId: session.row.id })) ? false : store.create(session),
    }),
  },
  {
    fault: "commit ignores the owner",
    caughtBy: hidden,
    breakIt: (store) => ({ commit: (commit) => store.commit({ ...commit, scope: asOwner(commit.scope) }) }),
  },
  {
    fault: "purge ignores the owner",
    caughtBy: hidden,
    breakIt: (store) => ({ purge: (scope) => store.purge(asOwner(scope)) }),
  },
  {
    fault: "commit ignores the expected revision",
    caughtBy: conflict,
    breakIt: (store) => ({
      commit: async (commit) =>
        store.commit({ ...commit, expected: (await store.revision(commit.scope)) ?? 0 }),
    }),
  },
  {
    fault: "commit always reports success",
    caughtBy: conflict,
    breakIt: (store) => ({
      commit: async (commit) => (await store.commit(commit)) || true,
    }),
  },
  {
    fault: "several commits on one revision get through",
    caughtBy: "accepts exactly one of several commits on the same revision",
    breakIt: (store) => ({
      commit: async (commit) => {
        let done = false;
        for (let attempt = 0; attempt < 4 && !done; attempt++)
          done = await store.commit({ ...commit, expected: (await store.revision(commit.scope)) ?? 0 });
        return done;
      },
    }),
  },
  {
    fault: "a refused commit leaves its entry",
    caughtBy: conflict,
    breakIt: (store) => {
      const left: JournalEntry[] = [];
      return {
        async commit(commit) {
          const done = await store.commit(commit);
          if (!done) left.push(commit.entry);
          return done;
        },
        journal: async (scope, selection) => [...(await store.journal(scope, selection)), ...left],
      };
    },
  },
  {
    fault: "counters lost",
    caughtBy: together,
    breakIt: (store) => ({
      commit: (commit) =>
        store.commit({ ...commit, row: { ...commit.row, counters: { ...commit.row.counters, notes: 0 } } }),
    }),
  },
  {
    fault: "revision remembered for too long",
    caughtBy: "sees a commit that another handle made right after its own",
    breakIt: (store) => {
      const known = new Map<string, number>();
      return {
        async commit(commit) {
          const done = await store.commit(commit);
          if (done && !known.has(commit.scope.sessionId))
            known.set(commit.scope.sessionId, commit.row.revision);
          return done;
        },
        revision: async (scope) => known.get(scope.sessionId) ?? (await store.revision(scope)),
      };
    },
  },
  {
    fault: "removing does nothing",
    caughtBy: removing,
    breakIt: (store) => ({
      commit: (commit) =>
        store.commit({ ...commit, records: commit.records.filter(({ value }) => value !== null) }),
    }),
  },
  {
    fault: "overwriting does nothing",
    caughtBy: removing,
    breakIt: (store) => ({
      async commit(commit) {
        const there = new Set((await store.records(commit.scope, { kinds: ["note"] })).map(({ key }) => key));
        return store.commit({
          ...commit,
          records: commit.records.filter(({ key, value }) => value === null || !there.has(key)),
        });
      },
    }),
  },
  {
    fault: "purge does nothing",
    caughtBy: purging,
    breakIt: (store) => ({ purge: async (scope) => (await store.load(scope)) !== undefined }),
  },
  {
    fault: "purge leaves the notes",
    caughtBy: purging,
    breakIt: (store) => {
      const left = new Map<string, StoredRecord[]>();
      return {
        async purge(scope) {
          left.set(scope.sessionId, await store.records(scope, { kinds: ["note"] }));
          return store.purge(scope);
        },
        records: async (scope, selection) => left.get(scope.sessionId) ?? store.records(scope, selection),
      };
    },
  },
  {
    fault: "purge removes other sessions too",
    caughtBy: purging,
    breakIt: (store) => ({
      async purge(scope) {
        for (const { id } of await store.sessions(scope.owner, {}))
          if (id !== scope.sessionId) await store.purge({ ...scope, sessionId: id });
        return store.purge(scope);
      },
    }),
  },
  {
    fault: "purged keys remembered",
    caughtBy: "keeps nothing of a purged session when its id is used again",
    breakIt: (store) => {
      const known = new Map<string, JournalEntry>();
      return {
        async commit(commit) {
          if (commit.entry.key) known.set(commit.entry.key, commit.entry);
          return store.commit(commit);
        },
        entryByKey: async (scope, key) => (await store.entryByKey(scope, key)) ?? known.get(key),
      };
    },
  },
  {
    fault: "a commit for a purged session lands in its successor",
    caughtBy: "keeps nothing of a purged session when its id is used again",
    breakIt: (store) => ({
      async commit(commit) {
        const createdAt = (await store.load(commit.scope))?.row.createdAt ?? 0;
        return store.commit({ ...commit, row: { ...commit.row, createdAt } });
      },
    }),
  },
  {
    fault: "watcher notified of growing revisions only",
    caughtBy: "keeps nothing of a purged session when its id is used again",
    breakIt: (store) => ({
      watch(listener, scope) {
        let highest = 0;
        return store.watch((change) => {
          if (change.revision > highest) listener(change);
          highest = Math.max(highest, change.revision);
        }, scope);
      },
    }),
  },
  { fault: "watch never notifies", caughtBy: watching, breakIt: () => ({ watch: async () => () => {} }) },
  {
    fault: "watch ignores other handles",
    caughtBy: watching,
    breakIt: (store) => {
      const own = new Set<(change: StoreChange) => void>();
      return {
        async commit(commit) {
          const done = await store.commit(commit);
          if (done) for (const listener of own) listener({ ...commit.scope, revision: commit.row.revision });
          return done;
        },
        async watch(listener) {
          own.add(listener);
          return () => own.delete(listener);
        },
      };
    },
  },
  {
    fault: "watch cannot be stopped",
    caughtBy: watching,
    breakIt: (store) => ({
      async watch(listener, scope) {
        await store.watch(listener, scope);
        return () => {};
      },
    }),
  },
  {
    fault: "nothing kept across a restart",
    caughtBy: "keeps everything across a restart",
    breakIt: (store) => ({ close: () => store.close() }),
  },
];
