import { z } from "zod";
import type { Json } from "../engine/json.ts";
import { type RecordKind, recordKinds } from "../engine/records.ts";
import type { SessionExport } from "../engine/session-document.ts";
import type { SessionRow } from "../engine/state.ts";
import { normaliseTexts } from "../engine/text.ts";
import { HoldfastError } from "../errors.ts";
import { editValue, type TextEdit } from "../stores/rewrite.ts";
import type { StoredRecord } from "../stores/store.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import { editEntry } from "./copy-session.ts";
import { checkId } from "./options.ts";
import type { Session } from "./session.ts";

const kinds = Object.keys(recordKinds) as RecordKind[];

/** Kinds with numeric keys. */
const numberedKinds: RecordKind[] = ["ref", "message", "task", "shown", "lock"];

/** Checked here, because a malformed note would fail later and far from the cause. */
const noteValue = z.object({
  content: z.string(),
  tags: z.array(z.string()),
  createdAt: z.number(),
  updatedAt: z.number(),
  updated: z.number(),
});

const entryShape = z.object({
  revision: z.number().int().positive(),
  at: z.number(),
  actor: z.object({
    kind: z.enum(["agent", "person", "sub-session", "import", "system"]),
    name: z.string().optional(),
  }),
  surface: z.string(),
  operation: z.looseObject({ type: z.string() }),
  changes: z.array(z.looseObject({ type: z.enum(["text", "record", "count", "mark", "field", "forked"]) })),
  key: z.string().nullable(),
  result: z.json(),
});

const exportShape = z.object({
  format: z.literal("holdfast-session"),
  version: z.literal(1),
  session: z.object({
    id: z.string(),
    agent: z.string(),
    title: z.string().nullable(),
    parent: z.string().nullable(),
    createdAt: z.number(),
    updatedAt: z.number(),
    revision: z.number().int().nonnegative(),
  }),
  notepad: z.string().nullable(),
  records: z.partialRecord(z.enum(kinds), z.record(z.string(), z.json())),
  journal: z.array(entryShape),
});

export async function exportSession(session: Session): Promise<SessionExport> {
  const { row } = await session.state();
  const records: SessionExport["records"] = {};
  for (const kind of kinds) {
    const found = await session.records(kind);
    if (found.length > 0) records[kind] = Object.fromEntries(found.map(({ key, value }) => [key, value]));
  }
  const journal = await session.history({ newestFirst: false });
  // Copy, because some stores return their own objects.
  return structuredClone({
    format: "holdfast-session",
    version: 1,
    session: {
      id: row.id,
      agent: row.agent,
      title: row.title,
      parent: row.parent,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
      revision: row.revision,
    },
    notepad: row.notepad,
    records,
    journal,
  });
}

/** Edits all text of a document, as a store does. Ids stay. */
export function editExport(document: SessionExport, edit: TextEdit): SessionExport {
  const { session, notepad, records, journal } = document;
  return {
    ...document,
    session: { ...session, title: editValue(session.title, edit) },
    notepad: editValue(notepad, edit),
    records: Object.fromEntries(Object.entries(records).map(([kind, each]) => [kind, editValue(each, edit)])),
    journal: journal.map((entry) => editEntry(entry as JournalEntry, edit)),
  };
}

/** Validates a document and converts it to rows. Recomputes tags and counters instead of trusting them. */
export function readExport(
  given: unknown,
  owner: string,
  now: number,
): { row: SessionRow; records: StoredRecord[]; entries: JournalEntry[] } {
  // First, because it limits the depth: the schema would overflow the stack.
  const parsed = exportShape.safeParse(normaliseTexts(given, "document"));
  if (!parsed.success) {
    throw new HoldfastError(
      "invalid_input",
      `This is not a Holdfast session export: ${z.prettifyError(parsed.error)}. Export the session again with the same version.`,
      { cause: parsed.error },
    );
  }
  // Safe cast: the engine reads only the journal fields that the schema has checked.
  const document = parsed.data as unknown as SessionExport;
  const { session, notepad, records, journal } = document;
  checkId(session.agent, "agent id");
  const checked = kinds.flatMap((kind) =>
    Object.entries(records[kind] ?? {}).map(
      ([key, value]): StoredRecord => ({ kind, key, value: checkRecord(kind, key, value) }),
    ),
  );
  const writes = [...checked.filter(({ kind }) => kind !== "tag"), ...countTags(checked)];
  const inOrder = journal.every(
    (entry, index) =>
      entry.revision > (journal[index - 1]?.revision ?? 0) && entry.revision <= session.revision,
  );
  if (!inOrder) {
    throw new HoldfastError(
      "invalid_input",
      "The journal in this export is out of order. Export the session again.",
    );
  }
  const revision = session.revision + 1;
  const arrival: JournalEntry = {
    revision,
    at: now,
    actor: { kind: "import" },
    surface: "session",
    operation: { type: "session.import" },
    changes: [],
    key: null,
    result: null,
  };
  const row: SessionRow = {
    ...session,
    owner,
    status: "active",
    origin: "imported",
    lineage: [],
    updatedAt: now,
    revision,
    lastFork: 0,
    counters: countRecords(writes, journal),
    notepad,
  };
  return { row, records: writes, entries: [...(journal as JournalEntry[]), arrival] };
}

function checkRecord(kind: RecordKind, key: string, value: Json): Json {
  const isText = kind === "space" || kind === "ref" || kind === "lock";
  const isNumbered = numberedKinds.includes(kind);
  const isValid =
    kind === "note"
      ? noteValue.safeParse(value).success && /^note_\d{1,15}$/.test(key)
      : (isText ? typeof value === "string" : value !== null) && (!isNumbered || /^\d{1,15}$/.test(key));
  if (isValid) return value;
  throw new HoldfastError(
    "invalid_input",
    `The ${kind} ${JSON.stringify(key)} in this export is malformed. Fix or remove it.`,
    {
      data: { kind, key },
    },
  );
}

/** Rebuilds the tag records from the notes. */
function countTags(records: readonly StoredRecord[]): StoredRecord[] {
  const counts = new Map<string, number>();
  for (const { kind, value } of records) {
    const tags = kind === "note" ? (value as { tags: string[] }).tags : [];
    for (const tag of new Set(tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return [...counts].map(([key, notes]) => ({ kind: "tag", key, value: { notes } }));
}

/** Numbering continues after the highest number ever used, even if that record was deleted. */
function countRecords(
  records: readonly StoredRecord[],
  journal: SessionExport["journal"],
): SessionRow["counters"] {
  const highest = new Map<string, number>();
  for (const change of journal.flatMap(({ changes }) => changes)) {
    if (change.type !== "mark" || !Number.isSafeInteger(change.after)) continue;
    highest.set(change.counter, Math.max(highest.get(change.counter) ?? 0, change.after));
  }
  const newest = (counter: string, kind: RecordKind) =>
    records.reduce(
      (max, record) => (record.kind === kind ? Math.max(max, numberIn(record.key)) : max),
      highest.get(counter) ?? 0,
    );
  return {
    notes: records.filter(({ kind }) => kind === "note").length,
    tags: records.filter(({ kind }) => kind === "tag").length,
    states: records.filter(({ kind }) => kind === "state").length,
    lastNoteId: newest("lastNoteId", "note"),
    lastRef: newest("lastRef", "ref"),
    lastMessage: newest("lastMessage", "message"),
    lastTask: newest("lastTask", "task"),
    lastShownChange: newest("lastShownChange", "shown"),
    lastPin: newest("lastPin", "pin"),
  };
}

/** The number in a key such as "note_12", "p3" or "0000012"; 0 if there is none. */
function numberIn(key: string): number {
  return Number(/^(?:note_|p)?(\d+)$/.exec(key)?.[1] ?? 0);
}
