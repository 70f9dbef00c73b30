import type { Scope } from "../store.ts";
import { ownedId } from "./feed.ts";
import type { SqliteRows } from "./session-rows.ts";

/**
 * Commits of this process. Commits of other processes are looked for once until the promises at hand have run, and after
 * every commit of this one: until then nothing here can have heard of them.
 */
let commitsHere = 0;

export function countCommit(): void {
  commitsHere++;
}

/** The newest revisions of sessions, known until another process commits. */
export class KnownRevisions {
  readonly #rows: SqliteRows;
  readonly #revisions = new Map<string, number>();
  /** SQLite's data_version, which changes when another process commits. */
  #version = -1;
  /** `commitsHere` at the last look for commits of other processes, until the promises at hand have run. */
  #checkedAfter: number | undefined;

  constructor(rows: SqliteRows) {
    this.#rows = rows;
  }

  /** Whether nothing can have changed since the last look. */
  get isChecked(): boolean {
    return this.#checkedAfter === commitsHere;
  }

  /** Forgets all revisions if another process has committed; returns SQLite's data_version. */
  dropStale(): number {
    const { data_version } = this.#rows.prepare("PRAGMA data_version").get() as { data_version: number };
    if (this.#checkedAfter === undefined)
      process.nextTick(() => {
        this.#checkedAfter = undefined;
      });
    this.#checkedAfter = commitsHere;
    if (data_version !== this.#version) this.#revisions.clear();
    this.#version = data_version;
    return data_version;
  }

  get(scope: Scope): number | undefined {
    return this.#revisions.get(ownedId(scope));
  }

  set(scope: Scope, revision: number): void {
    this.#revisions.set(ownedId(scope), revision);
  }

  delete(scope: Scope): void {
    this.#revisions.delete(ownedId(scope));
  }

  clear(): void {
    this.#revisions.clear();
  }
}
