import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SessionRow } from "../../engine/state.ts";
import { HoldfastError } from "../../errors.ts";
import { syncDirectory } from "../durable-directory.ts";
import { isBusy, storeError } from "../sqlite-errors.ts";
import type { Scope } from "../store.ts";
import { DirectoryLock } from "./directory-lock.ts";
import { JsonlFile } from "./session-file.ts";

/** The files of a directory, one per session, shared with other processes. Every error is in Holdfast's words. */
export class JsonlDirectory {
  readonly #path: string;
  readonly #warn: (warning: string) => void;
  readonly #lock: DirectoryLock;
  readonly #files = new Map<string, JsonlFile>();
  /** Size and time of each file when it was last looked at for watchers. */
  readonly #seen = new Map<string, string>();
  readonly #complained = new Set<string>();
  #closed = false;

  constructor(path: string, warn: (warning: string) => void) {
    this.#path = path;
    this.#warn = warn;
    this.#lock = guarded(path, () => new DirectoryLock(path));
  }

  read<T>({ owner, sessionId }: Scope, take: (file: JsonlFile) => T): T | undefined {
    return this.#attempt(() => {
      const file = this.#fileOf(sessionId);
      this.#look(file);
      return file.row?.owner === owner ? take(file) : undefined;
    });
  }

  /** Holding the lock, with everything read and nothing half-written left. */
  write(sessionId: string, take: (file: JsonlFile) => boolean): boolean {
    return this.#attempt(() =>
      this.#lock.hold(() => {
        const file = this.#fileOf(sessionId);
        settle(file);
        return take(file);
      }),
    );
  }

  /** Keeps other writers out while the work is done. */
  hold<T>(work: () => T): T {
    return this.#attempt(() => this.#lock.hold(work));
  }

  remove({ owner, sessionId }: Scope): boolean {
    return this.write(sessionId, (file) => {
      if (file.row?.owner !== owner) return false;
      // The session's own file last: as long as it is there, a removal that was cut short can be done again.
      for (const path of [`${file.path}.torn`, callsBeside(file.path), file.path])
        rmSync(path, { force: true });
      syncDirectory(this.#path);
      return this.#files.delete(sessionId);
    });
  }

  /** A foreign file is not a session and is skipped; a damaged one is, so it is never skipped silently. */
  rows(): SessionRow[] {
    return this.#attempt(() =>
      this.#sessionIds().flatMap((id) => {
        const file = this.#fileOf(id);
        try {
          this.#look(file);
        } catch (error) {
          if (!hasCode(error, "store_foreign")) throw error;
          this.#complain(file, (error as Error).message);
        }
        return file.row ? [file.row] : [];
      }),
    );
  }

  /** Sessions whose file is not what it was at the last call. A damaged one is complained of once and left out. */
  changed(): SessionRow[] {
    return this.#attempt(() =>
      this.#sessionIds().flatMap((id) => {
        const file = this.#fileOf(id);
        const { size = 0, mtimeMs = 0 } = statSync(file.path, { throwIfNoEntry: false }) ?? {};
        if (this.#seen.get(id) === `${size} ${mtimeMs}`) return [];
        this.#seen.set(id, `${size} ${mtimeMs}`);
        try {
          this.#look(file);
        } catch (error) {
          this.#complain(file, (error as Error).message);
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

  #look(file: JsonlFile): void {
    try {
      file.refresh();
    } catch (error) {
      if (!hasCode(error, "store_damaged")) throw error;
      this.#lookAgain(file, error);
    }
    try {
      if (file.isTorn) this.#lock.hold(() => settle(file));
    } catch (error) {
      // Half a line that cannot be removed does not block reading the lines before it.
      this.#complain(
        file,
        `${file.path}: its last line is torn and was left out, but could not be cleared away (${(error as Error).message})`,
      );
      file.refresh();
    }
  }

  /** Without the lock, a line may look broken because it is just being written or cleared away. */
  #lookAgain(file: JsonlFile, damage: unknown): void {
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

  #complain(file: JsonlFile, complaint: string): void {
    if (!this.#complained.has(file.path)) this.#warn(complaint);
    this.#complained.add(file.path);
  }

  #attempt<T>(work: () => T): T {
    if (this.#closed)
      throw new HoldfastError("store_closed", `${this.#path} was closed. Open the memory again.`);
    return guarded(this.#path, work);
  }
}

/** The file of the model calls of the session in this file. */
export function callsBeside(path: string): string {
  return path.replace(/\.jsonl$/, ".calls");
}

/** What a writer does first: it reads what others wrote, and clears away what a dead one left. */
function settle(file: JsonlFile): void {
  file.refresh();
  file.dropTail();
}

function hasCode(error: unknown, code: HoldfastError["code"]): boolean {
  return error instanceof HoldfastError && error.code === code;
}

const meanings: Record<string, { code: "store_full" | "store_read_only" | "store_failed"; next: string }> = {
  ENOSPC: { code: "store_full", next: "Nothing was written. Free some space, then try again." },
  EDQUOT: { code: "store_full", next: "Nothing was written. Free some space, then try again." },
  EFBIG: { code: "store_full", next: "Nothing was written. Raise the limit on file sizes, then try again." },
  EROFS: { code: "store_read_only", next: "Make the directory writable, or name another one." },
  EACCES: {
    code: "store_read_only",
    next: "Give this user access to the directory and its files, or name another one.",
  },
  EPERM: {
    code: "store_read_only",
    next: "Give this user access to the directory and its files, or name another one.",
  },
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
