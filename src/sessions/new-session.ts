import { residentKinds } from "../engine/records.ts";
import { emptyCounters, listResident, type SessionRow, type State } from "../engine/state.ts";
import type { RecordWrite } from "../stores/store.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import { checkId, checkTitle, type MemoryConfig } from "./options.ts";

export interface NewSessionOptions {
  /** Default: random. */
  id?: string;
  agent?: string;
  title?: string;
}

/** The row of a session that has nothing in it yet. */
export function newRow(
  options: NewSessionOptions,
  {
    origin,
    owner,
    setting,
  }: { origin: SessionRow["origin"]; owner: string; setting: Pick<MemoryConfig, "clock" | "makeId"> },
): SessionRow {
  const now = setting.clock();
  return {
    id: checkId(options.id ?? setting.makeId(), "session id"),
    owner,
    agent: checkId(options.agent ?? "default", "agent id"),
    title: options.title === undefined ? null : checkTitle(options.title),
    status: "active",
    origin,
    parent: null,
    lineage: [],
    createdAt: now,
    updatedAt: now,
    revision: 1,
    lastFork: 0,
    counters: emptyCounters(),
    notepad: null,
  };
}

/** The first entry of a session's journal. */
export function birthOf(row: SessionRow, operation: JournalEntry["operation"]): JournalEntry {
  return {
    revision: row.revision,
    at: row.createdAt,
    actor: { kind: "system" },
    surface: "session",
    operation,
    changes: [],
    key: null,
    result: null,
  };
}

export function residentRecords(state: State): RecordWrite[] {
  return residentKinds.flatMap((kind) =>
    listResident(state, kind).map(([key, value]) => ({ kind, key, value })),
  );
}
