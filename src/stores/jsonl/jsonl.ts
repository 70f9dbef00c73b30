import { resolve } from "node:path";
import { defaultPatience } from "../patience.ts";
import { selectSessions } from "../select-sessions.ts";
import { selectEntries } from "../session-table.ts";
import { Listeners, type Store, type StoreOptions, summaryOf } from "../store.ts";
import { jsonlLedger } from "./ledger.ts";
import { callsBeside, JsonlDirectory } from "./session-directory.ts";
import { jsonlTrimming } from "./trim.ts";

export interface JsonlOptions extends StoreOptions {
  /** Contains one append-only file per session. */
  directory: string;
  /** Interval of polling for commits of other processes while there are watchers (default: 100). */
  pollMilliseconds?: number;
}

/** Stores sessions as text files: one line per commit, with a checksum, fsynced before the acknowledgement. */
export async function jsonlStore(options: JsonlOptions): Promise<Store> {
  const directory = await JsonlDirectory.open(
    resolve(options.directory),
    options.onWarning ?? console.warn,
    options.patience ?? defaultPatience,
  );
  const listeners = new Listeners();
  const notified = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let following: ReturnType<JsonlDirectory["follow"]> | undefined;

  const notify = (owner: string, sessionId: string, revision: number) => {
    notified.set(sessionId, revision);
    listeners.notify({ owner, sessionId, revision });
  };
  const poll = () => {
    try {
      for (const { owner, id, revision } of following?.changed() ?? [])
        if (notified.get(id) !== revision) notify(owner, id, revision);
    } catch {
      // The directory is unreachable. Reads and writes report it; the next poll retries.
    }
  };

  const stopPolling = () => {
    clearInterval(timer);
    following?.stop();
  };

  return {
    name: "jsonl",
    ledger: jsonlLedger({
      path: (scope) => directory.read(scope, (file) => callsBeside(file.path)),
      hold: (work) => directory.hold(work),
    }),
    trimming: jsonlTrimming(directory, resolve(options.directory)),
    async create(session) {
      const { id, owner, revision } = session.row;
      const created = await directory.write(id, (file) => {
        if (file.row) return false;
        file.create(session);
        return true;
      });
      if (created) notify(owner, id, revision);
      return created;
    },
    async load(scope) {
      return directory.read(scope, ({ table }) => table && { row: table.row, records: table.resident() });
    },
    revision: (scope) => directory.revision(scope),
    async commit(commit) {
      const { owner, sessionId } = commit.scope;
      const done = await directory.write(sessionId, (file) => {
        if (file.row?.owner !== owner || file.row.revision !== commit.expected) return false;
        if (file.row.createdAt !== commit.row.createdAt) return false;
        file.commit(commit);
        return true;
      });
      if (done) notify(owner, sessionId, commit.row.revision);
      return done;
    },
    async records(scope, selection) {
      return (await directory.read(scope, ({ table }) => table?.select(selection))) ?? [];
    },
    async versions(scope) {
      return (await directory.read(scope, ({ table }) => table?.allVersions())) ?? [];
    },
    async journal(scope, selection) {
      const { from = 0, to = Number.MAX_SAFE_INTEGER } = selection;
      return selectEntries((await directory.read(scope, (file) => file.journal(from, to))) ?? [], selection);
    },
    async entryByKey(scope, key) {
      return directory.read(scope, (file) => {
        const revision = file.revisionOf(key);
        return revision === undefined ? undefined : file.journal(revision, revision)[0];
      });
    },
    async sessions(owner, selection) {
      return selectSessions((await directory.rows()).map(summaryOf), owner, selection);
    },
    async purge(scope) {
      return directory.remove(scope);
    },
    async rewrite(owners, edit, now) {
      const changed = await directory.rewrite(owners, edit, now);
      for (const { owner, id, revision } of changed) notify(owner, id, revision);
      return {
        sessions: changed.map(({ owner, id }) => ({ owner, sessionId: id })),
        values: changed.length,
        remaining: [],
      };
    },
    async watch(listener) {
      if (listeners.size === 0) {
        following = directory.follow();
        for (const { id, revision } of directory.changed()) notified.set(id, revision);
        timer = setInterval(poll, options.pollMilliseconds ?? 100);
        timer.unref();
      }
      const remove = listeners.add(listener);
      return () => {
        remove();
        if (listeners.size === 0) stopPolling();
      };
    },
    async close() {
      stopPolling();
      directory.close();
    },
  };
}
