import { z } from "zod";
import type { SessionRow } from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import type { LedgerCall, LedgerPiece } from "../stores/ledger.ts";
import { editValue, type TextEdit } from "../stores/rewrite.ts";
import type { RecordVersion, Scope, Store } from "../stores/store.ts";
import { knowledgeOwner } from "../surfaces/knowledge/handle.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import { scopeOf } from "./lineage.ts";

/**
 * A whole session as another store can hold it: same id, revision, status, history and model calls. A fork has its own
 * rows only and reads the others from its parent, as in the store it comes from.
 */
export interface SessionCopy {
  format: "holdfast-copy";
  version: 1;
  row: SessionRow;
  versions: RecordVersion[];
  entries: JournalEntry[];
  calls: LedgerCall[];
  pieces: [hash: string, piece: LedgerPiece][];
  /** SHA-256 of the session, and of all of the above. */
  sessionHash: string;
  hash: string;
}

/** `present`: the same content is already there. `different`: another session has this id; it was not touched. */
export type CopyOutcome = "copied" | "present" | "different";

const copyShape = z.object({
  format: z.literal("holdfast-copy"),
  version: z.literal(1),
  row: z.looseObject({ id: z.string(), owner: z.string(), revision: z.number(), lineage: z.array(z.json()) }),
  versions: z.array(
    z.object({ kind: z.string(), key: z.string(), from: z.number(), to: z.number(), value: z.json() }),
  ),
  entries: z.array(z.looseObject({ revision: z.number(), operation: z.looseObject({ type: z.string() }) })),
  calls: z.array(z.looseObject({ number: z.number(), pieces: z.array(z.string()) })),
  pieces: z.array(z.tuple([z.string(), z.looseObject({ text: z.string() })])),
  sessionHash: z.string(),
  hash: z.string(),
});

async function readCopy(store: Store, scope: Scope): Promise<SessionCopy | undefined> {
  const loaded = await store.load(scope);
  if (!loaded) return undefined;
  const { row } = loaded;
  const session = { row, versions: await store.versions(scope), entries: await store.journal(scope, {}) };
  const calls = (await store.ledger?.calls(scope, {})) ?? [];
  const hashes = [...new Set(calls.flatMap(({ pieces }) => pieces))].sort();
  const found = await store.ledger?.pieces(scope, hashes);
  const pieces = hashes.flatMap((hash): SessionCopy["pieces"] => {
    const piece = found?.get(hash);
    return piece ? [[hash, piece]] : [];
  });
  // A write in between would mix two revisions.
  if ((await store.revision(scope)) !== row.revision) return readCopy(store, scope);
  // Safe cast: stores return the entries that sessions commit.
  const content = { ...session, entries: session.entries as JournalEntry[], calls, pieces };
  return { format: "holdfast-copy", version: 1, ...content, ...(await hashesOf(content)) };
}

/** Writes the session, reads it back, and compares the content. Safe to repeat, and goes on where it stopped. */
async function writeCopy(store: Store, copy: SessionCopy): Promise<CopyOutcome> {
  const { row, versions, entries, calls, pieces, hash } = copy;
  const scope = scopeOf(row);
  const isNew = await store.create({ row, records: [], versions, entries });
  const present = isNew ? undefined : await readCopy(store, scope);
  if (present?.hash === hash) return "present";
  if (!isNew && present?.sessionHash !== copy.sessionHash) return "different";
  if (calls.length > 0) await store.ledger?.restore(scope, calls, new Map(pieces));
  const stored = await readCopy(store, scope);
  if (stored?.hash === hash) return "copied";
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
  if ((await hashesOf(copy)).hash !== copy.hash) {
    throw new HoldfastError(
      "store_damaged",
      `The copy of session ${copy.row.id} does not match its hash: it was changed or cut short. Export the store again.`,
      { data: { sessionId: copy.row.id } },
    );
  }
  if (owner === undefined || owner === copy.row.owner) return copy;
  const moved = { ...copy, row: { ...copy.row, owner } };
  return { ...moved, ...(await hashesOf(moved)) };
}

/** Edits all text of a copy, as a store does, and gives it the hashes of the result. Ids stay. */
export async function editCopy(copy: SessionCopy, edit: TextEdit): Promise<SessionCopy> {
  const { row, versions, entries, calls, pieces } = copy;
  const edited: Content = {
    row: { ...row, title: editValue(row.title, edit), notepad: editValue(row.notepad, edit) },
    versions: versions.map((each) => ({
      ...each,
      key: edit(each.key),
      value: editValue(each.value, edit),
    })),
    entries: entries.map((entry) => editEntry(entry, edit)),
    calls: calls.map((call) => ({ ...call, facts: editValue(call.facts, edit) })),
    pieces: pieces.map(([hash, piece]) => [hash, { ...piece, text: edit(piece.text) }]),
  };
  return { ...copy, ...edited, ...(await hashesOf(edited)) };
}

export function editEntry(entry: JournalEntry, edit: TextEdit): JournalEntry {
  return {
    ...entry,
    key: editValue(entry.key, edit),
    actor: editValue(entry.actor, edit),
    operation: editValue(entry.operation, edit),
    changes: editValue(entry.changes, edit),
    result: editValue(entry.result, edit),
  };
}

type Content = Pick<SessionCopy, "row" | "versions" | "entries" | "calls" | "pieces">;

async function hashesOf({ row, versions, entries, calls, pieces }: Content) {
  const sessionHash = await hashOf([row, versions, entries]);
  return { sessionHash, hash: await hashOf([sessionHash, calls, pieces]) };
}

async function hashOf(value: unknown): Promise<string> {
  const text = JSON.stringify(sorted(value));
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

const pageSize = 200;

/** Every session of an owner, of any status, and the knowledge of its agents, one at a time. */
export async function* copiesOf(store: Store, owner: string): AsyncGenerator<SessionCopy> {
  for (const each of [owner, knowledgeOwner(owner)]) {
    for (let after: { updatedAt: number; id: string } | undefined; ; ) {
      const page = await store.sessions(each, { limit: pageSize, ...(after ? { after } : {}) });
      for (const { id } of page) {
        const copy = await readCopy(store, { owner: each, sessionId: id });
        if (copy) yield copy;
      }
      after = page.at(-1);
      if (!after || page.length < pageSize) break;
    }
  }
}

export async function countSessions(store: Store, owner: string): Promise<number> {
  const counts = await Promise.all(
    [owner, knowledgeOwner(owner)].map(async (each) => (await store.sessions(each, {})).length),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Copies into a store and counts the outcomes. It does not repeat the finished part of an interrupted copy. */
export async function writeCopies(
  store: Store,
  copies: AsyncIterable<SessionCopy>,
  onSession: (done: number, copy: SessionCopy, outcome: CopyOutcome) => void = () => {},
): Promise<Record<CopyOutcome, number>> {
  const counts = { copied: 0, present: 0, different: 0 };
  let done = 0;
  for await (const copy of copies) {
    const outcome = await writeCopy(store, copy);
    counts[outcome]++;
    onSession(++done, copy, outcome);
  }
  return counts;
}
