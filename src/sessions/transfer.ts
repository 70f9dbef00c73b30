import { z } from "zod";
import type { JournalEntry } from "../engine/journal.ts";
import { foldCase } from "../engine/notes.ts";
import { type Json, type RecordKind, recordKinds, type SessionRow } from "../engine/state.ts";
import { normaliseTexts } from "../engine/text.ts";
import { HoldfastError } from "../errors.ts";
import type { RecordWrite } from "../stores/store.ts";
import type { Session } from "./session.ts";

const kinds = Object.keys(recordKinds) as RecordKind[];

/** A note with a shape the engine can work with; anything else would only fail later, and further from its cause. */
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
  actor: z.object({ kind: z.enum(["agent", "person", "sub-session", "import", "system"]), name: z.string().optional() }),
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

/** A whole session as one JSON document. */
export type SessionExport = z.infer<typeof exportShape>;

export async function exportSession(session: Session): Promise<SessionExport> {
  const { row } = await session.state();
  const records: SessionExport["records"] = {};
  for (const kind of kinds) {
    const found = await session.records(kind);
    if (found.length > 0) records[kind] = Object.fromEntries(found.map(({ key, value }) => [key, value]));
  }
  const journal = await session.history({ newestFirst: false });
  return {
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
    journal: journal as unknown as SessionExport["journal"],
  };
}

/** Checks a document and turns it into rows. Counters are counted anew, never believed. */
export function readExport(
  document: unknown,
  owner: string,
  now: number,
): { row: SessionRow; records: RecordWrite[]; entries: JournalEntry[] } {
  const parsed = exportShape.safeParse(document);
  if (!parsed.success) {
    throw new HoldfastError(
      "invalid_input",
      `This is not a Holdfast session export: ${z.prettifyError(parsed.error)}. Export the session again with the same version.`,
      { cause: parsed.error },
    );
  }
  const { session, notepad, records, journal } = normaliseTexts(parsed.data);
  const writes = kinds.flatMap((kind) =>
    Object.entries(records[kind] ?? {}).map(([key, value]): RecordWrite => ({ kind, key, value: checkRecord(kind, key, value as Json) })),
  );
  const inOrder = journal.every((entry, place) => entry.revision > (journal[place - 1]?.revision ?? 0) && entry.revision <= session.revision);
  if (!inOrder) {
    throw new HoldfastError("invalid_input", "The journal of this export is out of order. Export the session again.");
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
    counters: countRecords(writes),
    notepad,
  };
  return { row, records: writes, entries: [...(journal as unknown as JournalEntry[]), arrival] };
}

function checkRecord(kind: RecordKind, key: string, value: Json): Json {
  const isRight =
    kind === "note"
      ? noteValue.safeParse(value).success && /^note_\d+$/.test(key)
      : kind === "space" || kind === "ref"
        ? typeof value === "string"
        : value !== null;
  if (isRight) return value;
  throw new HoldfastError("invalid_input", `The ${kind} ${JSON.stringify(key)} of this export is malformed. Correct or remove it.`, {
    data: { kind, key },
  });
}

function countRecords(records: readonly RecordWrite[]): SessionRow["counters"] {
  const notes = records.filter(({ kind }) => kind === "note");
  const tags = new Set(notes.flatMap(({ value }) => (value as { tags: string[] }).tags.map(foldCase)));
  const newest = (kind: RecordKind, number: (key: string) => number) =>
    records.reduce((most, record) => (record.kind === kind ? Math.max(most, number(record.key)) : most), 0);
  return {
    notes: notes.length,
    tags: tags.size,
    lastNoteId: newest("note", (key) => Number(key.slice("note_".length))),
    lastRef: newest("ref", Number),
    lastMessage: newest("message", Number),
    lastTask: newest("task", Number),
    lastInjection: newest("injection", Number),
  };
}
