import { applySplice, revertSplice, type Splice } from "./text.ts";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export type SessionStatus = "active" | "archived" | "deleted";

/** An ancestor whose records a fork still reads, as they were at that revision. */
export interface LineageStep {
  sessionId: string;
  revision: number;
}

/** Small numbers kept with the session, so that no edit has to count rows. */
export interface Counters {
  notes: number;
  tags: number;
  states: number;
  /** Milliseconds in the newest note id; only ever grows. */
  lastNoteId: number;
  /** Place of the newest reference; only ever grows. */
  lastRef: number;
  /** Number of the newest message; only ever grows. */
  lastMessage: number;
  /** Number of the newest task; only ever grows. */
  lastTask: number;
  /** Number of the newest memory change put into the prompt; only ever grows. */
  lastInjection: number;
}

/** Counters of records. */
export type Tally = "notes" | "tags" | "states";

/** Counters that only ever grow. */
export type Mark = "lastNoteId" | "lastRef" | "lastMessage" | "lastTask" | "lastInjection";

export interface SessionRow {
  id: string;
  owner: string;
  agent: string;
  title: string | null;
  status: SessionStatus;
  origin: "created" | "forked" | "spawned" | "imported";
  parent: string | null;
  lineage: LineageStep[];
  createdAt: number;
  updatedAt: number;
  /** The session's version: one more with each commit. */
  revision: number;
  /** The newest revision at which a fork was taken; rows older than that are shared. */
  lastFork: number;
  counters: Counters;
  /** Null until first used. */
  notepad: string | null;
}

/** Kinds of rows a session owns. Resident ones are few and are in memory whenever the session is. */
export const recordKinds = {
  space: { resident: true },
  ref: { resident: true },
  task: { resident: true },
  epoch: { resident: true },
  span: { resident: true },
  cleared: { resident: true },
  injection: { resident: true },
  child: { resident: true },
  lock: { resident: true },
  skill: { resident: true },
  tool: { resident: true },
  note: { resident: false },
  tag: { resident: false },
  message: { resident: false },
  checkpoint: { resident: false },
  receipt: { resident: false },
  state: { resident: false },
} as const;

export type RecordKind = keyof typeof recordKinds;

export const residentKinds: RecordKind[] = (Object.keys(recordKinds) as RecordKind[]).filter(
  (kind) => recordKinds[kind].resident,
);

export type TextTarget = "notepad" | "space/notes" | "space/plan" | "space/system";

/**
 * What an operation did, with enough in it to undo it. A null value means: no such record.
 * `first`: the text was unused before; `unused`: it is again.
 */
export type Change =
  | ({ type: "text"; target: TextTarget; first?: true; unused?: true } & Splice)
  | { type: "record"; kind: RecordKind; key: string; before: Json; after: Json }
  | { type: "count"; counter: Tally; by: number }
  | { type: "mark"; counter: Mark; before: number; after: number }
  | { type: "field"; field: "title" | "status"; before: string | null; after: string | null }
  | { type: "forked"; before: number; after: number };

export type RecordId = `${RecordKind}/${string}`;

export function recordId(kind: RecordKind, key: string): RecordId {
  return `${kind}/${key}`;
}

/** What is in memory of a session: its row and its resident records. */
export interface State {
  readonly row: Readonly<SessionRow>;
  readonly resident: ReadonlyMap<RecordId, Json>;
}

export function readText(state: State, target: TextTarget): string {
  if (target === "notepad") return state.row.notepad ?? "";
  return (state.resident.get(target) as string | undefined) ?? "";
}

export function listResident(state: State, kind: RecordKind): [key: string, value: Json][] {
  const prefix = `${kind}/`;
  const found: [string, Json][] = [];
  for (const [id, value] of state.resident)
    if (id.startsWith(prefix)) found.push([id.slice(prefix.length), value]);
  return found.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Replays changes onto a state. `visit` sees the records that are not resident. */
export function applyChanges(
  state: State,
  changes: readonly Change[],
  visit?: (kind: RecordKind, key: string, value: Json) => void,
): State {
  return fold(state, changes, "after", visit);
}

/** Takes changes back: the state as it was before them. */
export function revertChanges(
  state: State,
  changes: readonly Change[],
  visit?: (kind: RecordKind, key: string, value: Json) => void,
): State {
  return fold(state, changes.toReversed(), "before", visit);
}

function fold(
  state: State,
  changes: readonly Change[],
  side: "before" | "after",
  visit?: (kind: RecordKind, key: string, value: Json) => void,
): State {
  const row: SessionRow = { ...state.row, counters: { ...state.row.counters } };
  let resident = state.resident as Map<RecordId, Json>;
  const write = (id: RecordId, value: Json) => {
    if (resident === state.resident) resident = new Map(state.resident);
    if (value === null) resident.delete(id);
    else resident.set(id, value);
  };
  for (const change of changes) {
    switch (change.type) {
      case "text": {
        const current = change.target === "notepad" ? row.notepad : resident.get(change.target);
        const text = typeof current === "string" ? current : "";
        const next = side === "after" ? applySplice(text, change) : revertSplice(text, change);
        const value = (side === "before" ? change.first : change.unused) ? null : next;
        if (change.target === "notepad") row.notepad = value;
        else write(change.target, value);
        break;
      }
      case "record":
        if (recordKinds[change.kind].resident) write(recordId(change.kind, change.key), change[side]);
        else visit?.(change.kind, change.key, change[side]);
        break;
      case "count":
        // Sessions from before a counter was kept have none of it.
        row.counters[change.counter] =
          (row.counters[change.counter] ?? 0) + (side === "after" ? change.by : -change.by);
        break;
      case "mark":
        row.counters[change.counter] = change[side];
        break;
      case "field":
        if (change.field === "title") row.title = change[side];
        else row.status = change[side] as SessionStatus;
        break;
      case "forked":
        row.lastFork = change[side];
        break;
    }
  }
  return { row, resident };
}

export function emptyCounters(): Counters {
  return {
    notes: 0,
    tags: 0,
    states: 0,
    lastNoteId: 0,
    lastRef: 0,
    lastMessage: 0,
    lastTask: 0,
    lastInjection: 0,
  };
}
