import type { JournalEntry } from "../engine/journal.ts";
import type { Json } from "../engine/json.ts";
import { compareKeys, type RecordKind, residentKinds } from "../engine/records.ts";
import type { SessionRow } from "../engine/state.ts";
import type { RecordSelection, RecordVersion, RecordWrite, StoredRecord } from "./store.ts";

/** One version of a record, valid from revision `from` up to, not including, `to`. */
export interface Version {
  from: number;
  to: number;
  value: Json;
}

/** The rows of one session in memory, for drivers without SQL. */
export class SessionTable {
  row: SessionRow;
  readonly #records = new Map<RecordKind, Map<string, Version[]>>();

  constructor(row: SessionRow, records: readonly RecordWrite[] = []) {
    this.row = row;
    for (const { kind, key, value } of records)
      this.restore(kind, key, [{ from: row.revision, to: openEnd, value }]);
  }

  /** Keeps old versions only while a fork can read them. */
  write(row: SessionRow, records: readonly RecordWrite[]): void {
    for (const { kind, key, value } of records) {
      const versions = this.#kind(kind).get(key) ?? [];
      const current = versions.at(-1);
      const shared = current && current.to === openEnd && current.from <= row.lastFork;
      const kept = shared
        ? [...versions.slice(0, -1), { ...current, to: row.revision }]
        : versions.filter(isClosed);
      const gone = value === null && row.lineage.length === 0;
      const next = gone ? kept : [...kept, { from: row.revision, to: openEnd, value }];
      if (next.length > 0) this.#kind(kind).set(key, next);
      else this.#kind(kind).delete(key);
    }
    this.row = row;
  }

  restore(kind: RecordKind, key: string, versions: Version[]): void {
    this.#kind(kind).set(key, versions);
  }

  restoreAll(versions: readonly RecordVersion[]): void {
    for (const { kind, key, from, to, value } of versions)
      this.restore(kind, key, [...(this.#kind(kind).get(key) ?? []), { from, to, value }]);
  }

  /** By kind, key and time. */
  allVersions(): RecordVersion[] {
    const found = [...this.versions()].flatMap(([kind, key, versions]) =>
      versions.map((version) => ({ kind, key, ...structuredClone(version) })),
    );
    return found.sort((a, b) => compareKeys(a.kind, b.kind) || compareKeys(a.key, b.key) || a.to - b.to);
  }

  *versions(): Generator<[kind: RecordKind, key: string, versions: Version[]]> {
    for (const [kind, records] of this.#records)
      for (const [key, versions] of records) yield [kind, key, versions];
  }

  resident(): StoredRecord[] {
    return this.select({ kinds: residentKinds }).filter(({ value }) => value !== null);
  }

  select({ kinds, keys, from, to, at = openEnd - 1 }: RecordSelection): StoredRecord[] {
    const found: StoredRecord[] = [];
    for (const kind of [...kinds].sort()) {
      const records = this.#kind(kind);
      const names =
        keys ??
        [...records.keys()].filter(
          (key) =>
            (from === undefined || compareKeys(key, from) >= 0) &&
            (to === undefined || compareKeys(key, to) <= 0),
        );
      for (const key of [...names].sort(compareKeys)) {
        const version = records.get(key)?.find((each) => each.from <= at && at < each.to);
        // Copy, because callers may modify the record.
        if (version) found.push({ kind, key, value: structuredClone(version.value) });
      }
    }
    return found;
  }

  #kind(kind: RecordKind): Map<string, Version[]> {
    let records = this.#records.get(kind);
    if (!records) {
      records = new Map();
      this.#records.set(kind, records);
    }
    return records;
  }
}

/** The `to` of a version that is still valid. */
export const openEnd = Number.MAX_SAFE_INTEGER;

function isClosed(version: Version): boolean {
  return version.to !== openEnd;
}

export function selectEntries(
  entries: readonly JournalEntry[],
  {
    from = 0,
    to = openEnd,
    limit = openEnd,
    newestFirst = false,
  }: { from?: number; to?: number; limit?: number; newestFirst?: boolean },
): JournalEntry[] {
  const inside = entries.filter(({ revision }) => revision >= from && revision <= to);
  return (newestFirst ? inside.toReversed() : inside).slice(0, limit);
}
