import { type FSWatcher, readdirSync, rmSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import type { SessionRow } from "../../engine/state.ts";
import { HoldfastError } from "../../errors.ts";
import { syncDirectory } from "../durable-directory.ts";
import { retryWhileBusy } from "../patience.ts";
import type { TextEdit } from "../rewrite.ts";
import { isBusy, storeError } from "../sqlite-errors.ts";
import type { Scope } from "../store.ts";
import { DirectoryLock } from "./directory-lock.ts";
import { rewriteLines, rewriteSessionFile } from "./rewrite.ts";
import { JsonlFile } from "./session-file.ts";

/** How many polls there are between two that look at every file. */
const pollsPerScan = 50;

/** A directory of session files, shared with other processes. Throws only HoldfastErrors. */
export class JsonlDirectory {
  readonly #path: string;
  readonly #warn: (warning: string) => void;
  readonly #patience: number;
  readonly #lock: DirectoryLock;
  readonly #files = new Map<string, JsonlFile>();
  /** Size and mtime of each file at the last call of `changed`. */
  readonly #seen = new Map<string, string>();
  /** Sessions that have to be looked at. */
  readonly #unread = new Set<string>();
  readonly #warned = new Set<string>();
  #closed = false;

  static async open(
    path: string,
    warn: (warning: string) => void,
    patience: number,
  ): Promise<JsonlDirectory> {
    const lock = await retryWhileBusy(path, patience, () =>
      withStoreErrors(path, () => new DirectoryLock(path)),
    );
    return new JsonlDirectory(path, warn, patience, lock);
  }

  private constructor(path: string, warn: (warning: string) => void, patience: number, lock: DirectoryLock) {
    this.#path = path;
    this.#warn = warn;
    this.#patience = patience;
    this.#lock = lock;
  }

  /** Waits only for a line that another process is writing. */
  read<T>(scope: Scope, work: (file: JsonlFile) => T): Promise<T | undefined> {
    return this.#attempt(() => this.#readNow(scope, work));
  }

  /** The revision at once, or later if a line is being written. */
  revision(scope: Scope): number | undefined | Promise<number | undefined> {
    try {
      return this.#readNow(scope, ({ row }) => row?.revision);
    } catch {
      return this.read(scope, ({ row }) => row?.revision);
    }
  }

  #readNow<T>({ owner, sessionId }: Scope, work: (file: JsonlFile) => T): T | undefined {
    this.#assertOpen();
    const file = this.#fileOf(sessionId);
    this.#refresh(file);
    return file.row?.owner === owner ? work(file) : undefined;
  }

  /** Runs under the lock, on a current file without a torn line. */
  write(sessionId: string, work: (file: JsonlFile) => boolean): Promise<boolean> {
    return this.#attempt(() =>
      this.#lock.hold(() => {
        const file = this.#fileOf(sessionId);
        refreshAndRepair(file);
        return work(file);
      }),
    );
  }

  /** Runs work under the lock. */
  hold<T>(work: () => T): Promise<T> {
    return this.#attempt(() => this.#lock.hold(work));
  }

  remove({ owner, sessionId }: Scope): Promise<boolean> {
    return this.write(sessionId, (file) => {
      if (file.row?.owner !== owner) return false;
      // Remove the session file last, so that an interrupted removal can be repeated.
      for (const path of [`${file.path}.torn`, callsBeside(file.path), file.path])
        rmSync(path, { force: true });
      syncDirectory(this.#path);
      return this.#files.delete(sessionId);
    });
  }

  /** Edits all text of these owners' sessions; returns the rows of those that changed. */
  async rewrite(owners: readonly string[], edit: TextEdit, now: number): Promise<SessionRow[]> {
    const rows = (await this.rows()).filter(({ owner }) => owners.includes(owner));
    const changed: SessionRow[] = [];
    for (const { id } of rows) {
      const isChanged = await this.write(id, (file) => {
        const { table, path } = file;
        if (!table) return false;
        const state = { row: table.row, records: [...table.versions()] };
        const beside = [callsBeside(path), `${path}.torn`].filter((each) => rewriteLines(each, edit));
        return rewriteSessionFile(path, state, edit, now) || beside.length > 0;
      });
      const row = isChanged ? await this.#attempt(() => this.#current(id)) : undefined;
      if (row) changed.push(row);
    }
    return changed;
  }

  /** Skips foreign files with a warning; throws on a damaged session. */
  rows(): Promise<SessionRow[]> {
    return this.#attempt(() =>
      this.#sessionIds().flatMap((id) => {
        const file = this.#fileOf(id);
        try {
          this.#refresh(file);
        } catch (error) {
          if (!hasCode(error, "store_foreign")) throw error;
          this.#warnOnce(file, (error as Error).message);
        }
        return file.row ? [file.row] : [];
      }),
    );
  }

  /** Sessions whose file changed since the last call (default: among all). Skips damaged ones, with one warning each. */
  changed(among?: Iterable<string>): SessionRow[] {
    this.#assertOpen();
    return withStoreErrors(this.#path, () =>
      [...(among ?? this.#sessionIds())].flatMap((id) => {
        const file = this.#fileOf(id);
        const { size = 0, mtimeMs = 0 } = statSync(file.path, { throwIfNoEntry: false }) ?? {};
        if (this.#seen.get(id) === `${size} ${mtimeMs}`) return [];
        this.#seen.set(id, `${size} ${mtimeMs}`);
        try {
          this.#refresh(file);
        } catch (error) {
          // A line is being written: look again at the next call.
          if (isBusy(error)) {
            this.#seen.delete(id);
            this.#unread.add(id);
          } else this.#warnOnce(file, (error as Error).message);
        }
        return file.row ? [file.row] : [];
      }),
    );
  }

  /**
   * Calls for the changes since the last call, with the names that the system reported, so that a poll does not look at
   * every file. All files are looked at now and then, because some file systems report nothing.
   */
  follow(): { changed(): SessionRow[]; stop(): void } {
    let polls = 0;
    let watcher: FSWatcher | undefined;
    try {
      watcher = watch(this.#path, { persistent: false }, (_event, name) => {
        if (name?.endsWith(".jsonl")) this.#unread.add(name.slice(0, -".jsonl".length));
      });
      watcher.on("error", () => {
        watcher = undefined;
      });
    } catch {
      // Not supported here: look at every file each time.
    }
    return {
      changed: () => {
        const isDue = watcher === undefined || ++polls % pollsPerScan === 0;
        const names = [...this.#unread];
        this.#unread.clear();
        return this.changed(isDue ? undefined : names);
      },
      stop: () => watcher?.close(),
    };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#lock.close();
  }

  #current(id: string): SessionRow | undefined {
    const file = this.#fileOf(id);
    this.#refresh(file);
    return file.row;
  }

  #refresh(file: JsonlFile): void {
    try {
      file.refresh();
    } catch (error) {
      if (!hasCode(error, "store_damaged")) throw error;
      this.#refreshLocked(file, error);
    }
    try {
      if (file.isTorn) this.#lock.hold(() => refreshAndRepair(file));
    } catch (error) {
      // Another process is writing the line.
      const isBeingWritten = isBusy(error);
      // A torn line that cannot be removed does not prevent reading the lines before it.
      const warning = `${file.path}: its last line is torn and was ignored, but could not be removed (${(error as Error).message})`;
      if (!isBeingWritten) this.#warnOnce(file, warning);
      file.refresh();
    }
  }

  /** Without the lock, a line may look damaged while another process writes or removes it. */
  #refreshLocked(file: JsonlFile, damage: unknown): void {
    try {
      this.#lock.hold(() => file.refresh());
    } catch (error) {
      throw hasCode(error, "store_read_only") ? damage : error;
    }
  }

  #fileOf(sessionId: string): JsonlFile {
    let file = this.#files.get(sessionId);
    if (!file) {
      file = new JsonlFile(join(this.#path, `${sessionId}.jsonl`), this.#warn);
      this.#files.set(sessionId, file);
    }
    return file;
  }

  #sessionIds(): string[] {
    const names = readdirSync(this.#path).filter((name) => name.endsWith(".jsonl"));
    return names.map((name) => name.slice(0, -".jsonl".length));
  }

  #warnOnce(file: JsonlFile, warning: string): void {
    if (!this.#warned.has(file.path)) this.#warn(warning);
    this.#warned.add(file.path);
  }

  #assertOpen(): void {
    if (this.#closed)
      throw new HoldfastError("store_closed", `${this.#path} was closed. Open the memory again.`);
  }

  #attempt<T>(work: () => T): Promise<T> {
    return retryWhileBusy(this.#path, this.#patience, () => {
      this.#assertOpen();
      return withStoreErrors(this.#path, work);
    });
  }
}

/** The file with the model calls of a session file. */
export function callsBeside(path: string): string {
  return path.replace(/\.jsonl$/, ".calls");
}

/** Before a write: read new lines, and remove the torn line of a crashed writer. */
function refreshAndRepair(file: JsonlFile): void {
  file.refresh();
  file.dropTail();
}

function hasCode(error: unknown, code: HoldfastError["code"]): boolean {
  return error instanceof HoldfastError && error.code === code;
}

const knownErrors: Record<string, { code: "store_full" | "store_read_only" | "store_failed"; next: string }> =
  {
    ENOSPC: { code: "store_full", next: "Nothing was written. Free some space, then try again." },
    EDQUOT: { code: "store_full", next: "Nothing was written. Free some space, then try again." },
    EFBIG: { code: "store_full", next: "Nothing was written. Raise the file size limit, then try again." },
    EROFS: { code: "store_read_only", next: "Make the directory writable, or use another one." },
    EACCES: {
      code: "store_read_only",
      next: "Give this user access to the directory and its files, or use another directory.",
    },
    EPERM: {
      code: "store_read_only",
      next: "Give this user access to the directory and its files, or use another directory.",
    },
    EIO: { code: "store_failed", next: "Nothing was acknowledged. Check the disk, then try again." },
  };

function withStoreErrors<T>(directory: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof HoldfastError) throw error;
    // Contention is not a failure yet: the caller retries.
    if (isBusy(error)) throw error;
    const known = knownErrors[(error as NodeJS.ErrnoException).code ?? ""];
    if (!known) throw storeError(error, directory);
    throw new HoldfastError(known.code, `${directory}: ${(error as Error).message}. ${known.next}`, {
      data: { path: directory },
      cause: error,
    });
  }
}
