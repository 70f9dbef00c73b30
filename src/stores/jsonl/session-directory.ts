import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SessionRow } from "../../engine/state.ts";
import { HoldfastError } from "../../errors.ts";
import { syncDirectory } from "../durable-directory.ts";
import type { TextEdit } from "../rewrite.ts";
import { isBusy, storeError } from "../sqlite-errors.ts";
import type { Scope } from "../store.ts";
import { DirectoryLock } from "./directory-lock.ts";
import { rewriteLines, rewriteSessionFile } from "./rewrite.ts";
import { JsonlFile } from "./session-file.ts";

/** A directory of session files, shared with other processes. Throws only HoldfastErrors. */
export class JsonlDirectory {
  readonly #path: string;
  readonly #warn: (warning: string) => void;
  readonly #lock: DirectoryLock;
  readonly #files = new Map<string, JsonlFile>();
  /** Size and mtime of each file at the last call of `changed`. */
  readonly #seen = new Map<string, string>();
  readonly #warned = new Set<string>();
  #closed = false;

  constructor(path: string, warn: (warning: string) => void) {
    this.#path = path;
    this.#warn = warn;
    this.#lock = withStoreErrors(path, () => new DirectoryLock(path));
  }

  read<T>({ owner, sessionId }: Scope, work: (file: JsonlFile) => T): T | undefined {
    return this.#attempt(() => {
      const file = this.#fileOf(sessionId);
      this.#refresh(file);
      return file.row?.owner === owner ? work(file) : undefined;
    });
  }

  /** Runs under the lock, on a current file without a torn line. */
  write(sessionId: string, work: (file: JsonlFile) => boolean): boolean {
    return this.#attempt(() =>
      this.#lock.hold(() => {
        const file = this.#fileOf(sessionId);
        refreshAndRepair(file);
        return work(file);
      }),
    );
  }

  /** Runs work under the lock. */
  hold<T>(work: () => T): T {
    return this.#attempt(() => this.#lock.hold(work));
  }

  remove({ owner, sessionId }: Scope): boolean {
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
  rewrite(owners: readonly string[], edit: TextEdit, now: number): SessionRow[] {
    return this.rows()
      .filter(({ owner }) => owners.includes(owner))
      .flatMap(({ id }) => {
        const changed = this.write(id, (file) => {
          const { table, path } = file;
          if (!table) return false;
          const state = { row: table.row, records: [...table.versions()] };
          const beside = [callsBeside(path), `${path}.torn`].filter((each) => rewriteLines(each, edit));
          return rewriteSessionFile(path, state, edit, now) || beside.length > 0;
        });
        const file = this.#fileOf(id);
        this.#refresh(file);
        return changed && file.row ? [file.row] : [];
      });
  }

  /** Skips foreign files with a warning; throws on a damaged session. */
  rows(): SessionRow[] {
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

  /** Sessions whose file changed since the last call. Skips damaged ones, with one warning each. */
  changed(): SessionRow[] {
    return this.#attempt(() =>
      this.#sessionIds().flatMap((id) => {
        const file = this.#fileOf(id);
        const { size = 0, mtimeMs = 0 } = statSync(file.path, { throwIfNoEntry: false }) ?? {};
        if (this.#seen.get(id) === `${size} ${mtimeMs}`) return [];
        this.#seen.set(id, `${size} ${mtimeMs}`);
        try {
          this.#refresh(file);
        } catch (error) {
          this.#warnOnce(file, (error as Error).message);
        }
        return file.row ? [file.row] : [];
      }),
    );
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#lock.close();
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
      // A torn line that cannot be removed does not prevent reading the lines before it.
      this.#warnOnce(
        file,
        `${file.path}: its last line is torn and was ignored, but could not be removed (${(error as Error).message})`,
      );
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

  #attempt<T>(work: () => T): T {
    if (this.#closed)
      throw new HoldfastError("store_closed", `${this.#path} was closed. Open the memory again.`);
    return withStoreErrors(this.#path, work);
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
    const known = knownErrors[(error as NodeJS.ErrnoException).code ?? ""];
    if (!known || isBusy(error)) throw storeError(error, directory);
    throw new HoldfastError(known.code, `${directory}: ${(error as Error).message}. ${known.next}`, {
      data: { path: directory },
      cause: error,
    });
  }
}
