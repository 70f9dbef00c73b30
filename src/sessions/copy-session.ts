import { z } from "zod";
import { type RecordKind, recordKinds } from "../engine/records.ts";
import type { SessionRow } from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import type { RecordWrite, Scope, Store } from "../stores/store.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import { readJournal, readRecords, scopeOf } from "./lineage.ts";

/**
 * A whole session as another store can hold it: same id, revision, status and history. A fork becomes independent,
 * with the records that it shared.
 */
export interface SessionCopy {
  format: "holdfast-copy";
  version: 1;
  row: SessionRow;
  records: RecordWrite[];
  entries: JournalEntry[];
  /** SHA-256 of all of the above. */
  hash: string;
}

/** `present`: the same content is already there. `different`: another session has this id; it was not touched. */
export type CopyOutcome = "copied" | "present" | "different";

const copyShape = z.object({
  format: z.literal("holdfast-copy"),
  version: z.literal(1),
  row: z.looseObject({ id: z.string(), owner: z.string(), revision: z.number(), lineage: z.array(z.json()) }),
  records: z.array(z.object({ kind: z.string(), key: z.string(), value: z.json() })),
  entries: z.array(z.looseObject({ revision: z.number(), operation: z.looseObject({ type: z.string() }) })),
  hash: z.string(),
});

const kinds = Object.keys(recordKinds) as RecordKind[];

export async function readCopy(store: Store, scope: Scope): Promise<SessionCopy | undefined> {
  const loaded = await store.load(scope);
  if (!loaded) return undefined;
  const { row } = loaded;
  const found = await readRecords(store, row, { kinds });
  const content = {
    row: { ...row, lineage: [], lastFork: 0 },
    records: found.filter(({ value }) => value !== null),
    entries: await readJournal(store, row, { newestFirst: false }),
  };
  // A write in between would mix two revisions.
  if ((await store.revision(scope)) !== row.revision) return readCopy(store, scope);
  return { format: "holdfast-copy", version: 1, ...content, hash: await hashOf(content) };
}

/** Writes the session, reads it back, and compares the content. Safe to repeat. */
export async function writeCopy(
  store: Store,
  { row, records, entries, hash }: SessionCopy,
): Promise<CopyOutcome> {
  const isNew = await store.create({ row, records, entries });
  const stored = await readCopy(store, scopeOf(row));
  if (stored?.hash === hash) return isNew ? "copied" : "present";
  if (!isNew) return "different";
  throw new HoldfastError(
    "store_damaged",
    `Session ${row.id} was copied, but reads back differently. Purge it in the target and check that store.`,
    { data: { sessionId: row.id } },
  );
}

/** Checks a line of an export of all sessions. */
export async function parseCopy(given: unknown, owner?: string): Promise<SessionCopy> {
  const parsed = copyShape.safeParse(given);
  if (!parsed.success) {
    throw new HoldfastError(
      "invalid_input",
      `This is not a copy of a session: ${z.prettifyError(parsed.error)}. Export the store again.`,
      { cause: parsed.error },
    );
  }
  // Safe cast: the hash shows that it is what `readCopy` wrote.
  const copy = parsed.data as unknown as SessionCopy;
  if ((await hashOf(copy)) !== copy.hash) {
    throw new HoldfastError(
      "store_damaged",
      `The copy of session ${copy.row.id} does not match its hash: it was changed or cut short. Export the store again.`,
      { data: { sessionId: copy.row.id } },
    );
  }
  if (owner === undefined || owner === copy.row.owner) return copy;
  const moved = { ...copy, row: { ...copy.row, owner } };
  return { ...moved, hash: await hashOf(moved) };
}

async function hashOf({
  row,
  records,
  entries,
}: Pick<SessionCopy, "row" | "records" | "entries">): Promise<string> {
  const text = JSON.stringify(sorted([row, records, entries]));
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Stores return an object's fields in different orders. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(
    fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, sorted(each)]),
  );
}
