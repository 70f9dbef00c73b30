import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import * as sqlite from "node:sqlite";
import { findDamage } from "./checksums.ts";
import { backupOf } from "./errors.ts";

const day = 24 * 3_600_000;
const firstDelay = 30_000;
const betweenLooks = 3_600_000;
const allPages = 2 ** 31 - 1;

/** A copy in progress. */
function newBackupOf(path: string): string {
  return `${path}.backup-new`;
}

/** Copies the database once a day while a program has it open. Several programs make one backup. */
export class DailyBackup {
  readonly #path: string;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#schedule(firstDelay);
  }

  /** Resolves when a copy in progress is done; undefined if there is none. */
  stop(): Promise<unknown> | undefined {
    clearTimeout(this.#timer);
    return this.#running;
  }

  /** Text that was removed from the store must not stay in its backup. The next one is made within the hour. */
  async remove(): Promise<void> {
    await this.#running;
    for (const file of [backupOf(this.#path), newBackupOf(this.#path)]) rmSync(file, { force: true });
  }

  #schedule(milliseconds: number): void {
    this.#timer = setTimeout(() => {
      // A failed backup fails nothing else; the next look tries again.
      this.#running = backUp(this.#path)
        .catch(() => undefined)
        .finally(() => {
          this.#running = undefined;
        });
      this.#schedule(betweenLooks);
    }, milliseconds);
    this.#timer.unref();
  }
}

/** Replaces the backup if it is a day old. A damaged database does not replace it. True if a backup was made. */
export async function backUp(path: string): Promise<boolean> {
  const started = newBackupOf(path);
  // Node 22.16 has it.
  if (typeof sqlite.backup !== "function") return false;
  if (ageOf(backupOf(path)) < day || ageOf(started) < betweenLooks) return false;
  rmSync(started, { force: true });
  // Private from the beginning.
  closeSync(openSync(started, "wx", 0o600));
  try {
    const source = new sqlite.DatabaseSync(path, { readOnly: true });
    try {
      // In one step, because a commit would start it again.
      await sqlite.backup(source, started, { rate: allPages });
    } finally {
      source.close();
    }
    if (findDamage(started) !== undefined) return false;
    syncFile(started);
    renameSync(started, backupOf(path));
    return true;
  } finally {
    for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(started + end, { force: true });
  }
}

function ageOf(file: string): number {
  const made = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return made === undefined ? Number.POSITIVE_INFINITY : Date.now() - made;
}

function syncFile(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
