import { existsSync, mkdirSync, readdirSync, statSync, unlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { HoldfastError } from "../errors.ts";
import { JsonlFile } from "./jsonl-file.ts";
import { selectSessions } from "./select-sessions.ts";
import { selectEntries } from "./session-table.ts";
import { isBusy, storeError } from "./sqlite-errors.ts";
import { Listeners, type Scope, type Store, type StoreOptions, summaryOf } from "./store.ts";

export interface JsonlOptions extends StoreOptions {
  /** One append-only file per session lies here. */
  directory: string;
  /** How often other processes' commits are looked for while somebody watches. */
  pollMilliseconds?: number;
}

/** A store of plain text files: one line per commit, each with a checksum, fsynced before it is acknowledged. */
export async function jsonlStore(options: JsonlOptions): Promise<Store> {
  const directory = resolve(options.directory);
  const warn = options.onWarning ?? console.warn;
  const lock = guarded(directory, () => openLock(directory));
  const files = new Map<string, JsonlFile>();
  const listeners = new Listeners();
  const told = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const fileOf = (sessionId: string): JsonlFile => {
    if (closed) throw new HoldfastError("store_closed", `${directory} was closed. Open the memory again.`);
    let file = files.get(sessionId);
    if (!file) {
      file = new JsonlFile(join(directory, `${sessionId}.jsonl`), warn);
      files.set(sessionId, file);
    }
    return file;
  };
  const read = <T>({ owner, sessionId }: Scope, look: (file: JsonlFile) => T): T | undefined =>
    guarded(directory, () => {
      const file = fileOf(sessionId);
      const unread = file.row === undefined;
      // The first look decides whether a broken tail is torn, so it waits for writers to finish.
      if (unread && existsSync(file.path)) holding(lock, () => file.refresh(true));
      else file.refresh(false);
      return file.row?.owner === owner ? look(file) : undefined;
    });
  const tell = (owner: string, sessionId: string, revision: number) => {
    told.set(sessionId, revision);
    listeners.tell({ owner, sessionId, revision });
  };
  const sessionIds = () =>
    readdirSync(directory)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => name.slice(0, -".jsonl".length));
  const rows = () =>
    sessionIds().flatMap((id) => {
      const file = fileOf(id);
      guarded(directory, () => file.refresh(false));
      return file.row ? [file.row] : [];
    });
  const sizes = new Map<string, number>();
  const poll = () => {
    for (const id of sessionIds()) {
      const size = statSync(fileOf(id).path, { throwIfNoEntry: false })?.size ?? 0;
      if (sizes.get(id) === size) continue;
      sizes.set(id, size);
      const file = fileOf(id);
      file.refresh(false);
      if (file.row && told.get(id) !== file.row.revision) tell(file.row.owner, id, file.row.revision);
    }
  };

  return {
    name: "jsonl",
    async create(session) {
      const { id, owner, revision } = session.row;
      const created = guarded(directory, () =>
        holding(lock, () => {
          const file = fileOf(id);
          file.refresh(true);
          if (file.row) return false;
          file.create(session);
          return true;
        }),
      );
      if (created) tell(owner, id, revision);
      return created;
    },
    async load(scope) {
      return read(scope, ({ table }) => table && { row: table.row, records: table.resident() });
    },
    revision: (scope) => read(scope, ({ row }) => row?.revision),
    async commit(commit) {
      const { owner, sessionId } = commit.scope;
      const done = guarded(directory, () =>
        holding(lock, () => {
          const file = fileOf(sessionId);
          file.refresh(true);
          if (file.row?.owner !== owner || file.row.revision !== commit.expected) return false;
          file.commit(commit);
          return true;
        }),
      );
      if (done) tell(owner, sessionId, commit.row.revision);
      return done;
    },
    async records(scope, selection) {
      return read(scope, ({ table }) => table?.select(selection)) ?? [];
    },
    async journal(scope, selection) {
      const { from = 0, to = Number.MAX_SAFE_INTEGER } = selection;
      return selectEntries(read(scope, (file) => file.journal(from, to)) ?? [], selection);
    },
    async entryByKey(scope, key) {
      return read(scope, (file) => {
        const revision = file.revisionOf(key);
        return revision === undefined ? undefined : file.journal(revision, revision)[0];
      });
    },
    async sessions(owner, selection) {
      return selectSessions(rows().map(summaryOf), owner, selection);
    },
    async purge(scope) {
      if (!read(scope, () => true)) return false;
      return guarded(directory, () =>
        holding(lock, () => {
          const { path } = fileOf(scope.sessionId);
          for (const each of [path, `${path}.torn`]) if (existsSync(each)) unlinkSync(each);
          return files.delete(scope.sessionId);
        }),
      );
    },
    async watch(listener) {
      if (listeners.size === 0) {
        for (const row of rows()) told.set(row.id, row.revision);
        timer = setInterval(() => poll(), options.pollMilliseconds ?? 100);
        timer.unref();
      }
      const remove = listeners.add(listener);
      return () => {
        remove();
        if (listeners.size === 0) clearInterval(timer);
      };
    },
    async close() {
      if (closed) return;
      closed = true;
      clearInterval(timer);
      lock.close();
    },
  };
}

/** The lock is SQLite's own on an empty file: the system frees it when its holder dies. */
function openLock(directory: string): DatabaseSync {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(join(directory, "lock"));
  lock.exec("PRAGMA busy_timeout = 60000; PRAGMA journal_mode = DELETE");
  return lock;
}

function holding<T>(lock: DatabaseSync, work: () => T): T {
  lock.exec("BEGIN IMMEDIATE");
  try {
    return work();
  } finally {
    lock.exec("ROLLBACK");
  }
}

const meanings: Record<string, { code: "store_full" | "store_read_only" | "store_failed"; next: string }> = {
  ENOSPC: { code: "store_full", next: "Nothing was written. Free some space, then try again." },
  EDQUOT: { code: "store_full", next: "Nothing was written. Free some space, then try again." },
  EROFS: { code: "store_read_only", next: "Make the directory writable, or name another one." },
  EACCES: { code: "store_read_only", next: "Make the directory writable, or name another one." },
  EPERM: { code: "store_read_only", next: "Make the directory writable, or name another one." },
  EIO: { code: "store_failed", next: "Nothing was acknowledged. Check the disk, then try again." },
};

function guarded<T>(directory: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof HoldfastError) throw error;
    const meaning = meanings[(error as NodeJS.ErrnoException).code ?? ""];
    if (!meaning || isBusy(error)) throw storeError(error, directory);
    throw new HoldfastError(meaning.code, `${directory}: ${(error as Error).message}. ${meaning.next}`, {
      data: { path: directory },
      cause: error,
    });
  }
}
