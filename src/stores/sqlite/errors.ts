import { existsSync, statSync } from "node:fs";
import { type ErrorCode, HoldfastError } from "../../errors.ts";

interface SqliteError extends Error {
  errcode: number;
}

interface KnownError {
  code: ErrorCode;
  next: string | ((path: string) => string);
}

const knownErrors: Record<number, KnownError> = {
  5: {
    code: "store_busy",
    next: "Another process has locked the database for unusually long. Nothing was changed. Try again.",
  },
  6: {
    code: "store_busy",
    next: "Another process has locked the database for unusually long. Nothing was changed. Try again.",
  },
  8: { code: "store_read_only", next: "Make the file and its directory writable, or use another file." },
  10: {
    code: "store_failed",
    next: "The disk reported an error; nothing was acknowledged. Check the disk, then try again.",
  },
  11: { code: "store_damaged", next: restoreAdvice },
  13: { code: "store_full", next: "Nothing was written. Free some space, then try again." },
  14: { code: "store_failed", next: "Check that the directory exists and is readable and writable." },
  26: {
    code: "store_foreign",
    next: (path) => `It was not changed. Use another file.${adviceIfBackedUp(path)}`,
  },
};

/** How long one attempt may block this thread. The rest of the lock timeout is waited out without blocking. */
export const blockingMilliseconds = 20;

/** Repeats work that failed because another process holds a lock, until it succeeds or lockTimeout runs out. */
export async function retryWhileBusy<T>(path: string, lockTimeout: number, work: () => T): Promise<T> {
  // Read only if the first attempt fails: loading `performance` takes a hook 3 ms.
  let deadline: number | undefined;
  for (let attempt = 0; ; attempt++) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw storeError(error, path);
      deadline ??= performance.now() + lockTimeout;
      if (performance.now() >= deadline) throw storeError(error, path);
    }
    // Random, so that waiting processes do not meet again; longer after each attempt.
    const longest = Math.min(50, 5 + attempt * 5);
    await new Promise((proceed) => setTimeout(proceed, 1 + Math.random() * longest));
  }
}

function isBusy(error: unknown): boolean {
  return isSqliteError(error) && [5, 6].includes(error.errcode & 0xff);
}

/** A row with this key exists already. */
export function isTaken(error: unknown): boolean {
  return isSqliteError(error) && [1555, 2067].includes(error.errcode);
}

export function isReadOnly(error: unknown): boolean {
  return isSqliteError(error) && [8, 14].includes(error.errcode & 0xff);
}

/** The file is not what SQLite has written. */
export function isDamage(error: unknown): error is Error {
  return isSqliteError(error) && [11, 26].includes(error.errcode & 0xff);
}

/** The copy that is made once a day, next to the database. */
export function backupOf(path: string): string {
  return `${path}.backup`;
}

/** How to get a damaged database back. */
export function restoreAdvice(path: string): string {
  const made = statSync(backupOf(path), { throwIfNoEntry: false })?.mtime.toISOString().slice(0, 16);
  if (made === undefined)
    return `There is no backup at ${backupOf(path)}. Move the file away, then restore a copy of yours, or import an export: holdfast store import FILE.`;
  return `To restore the backup of ${made.replace("T", " ")} UTC, stop the programs that use the file, move ${path}, ${path}-wal and ${path}-shm away, and copy ${backupOf(path)} to ${path}.`;
}

/** For a file that may be a damaged memory of ours. */
export function adviceIfBackedUp(path: string): string {
  return existsSync(backupOf(path)) ? ` If it is a damaged memory: ${restoreAdvice(path)}` : "";
}

/** Converts a driver's error to a HoldfastError. */
function storeError(error: unknown, path: string): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const known = isSqliteError(error) ? knownErrors[error.errcode & 0xff] : undefined;
  const next = typeof known?.next === "function" ? known.next(path) : known?.next;
  return new HoldfastError(
    known?.code ?? "store_failed",
    `${path}: ${message}. ${next ?? "Nothing was acknowledged. Check the file, then try again."}`,
    { data: { path, ...(isSqliteError(error) ? { sqlite: error.errcode } : {}) }, cause: error },
  );
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && typeof (error as Partial<SqliteError>).errcode === "number";
}
