import {
  type RecordId,
  type RecordKind,
  type RecordValue,
  type RecordValues,
  recordId,
  recordKinds,
} from "./records.ts";
import { applySplice, revertSplice, type Splice } from "./text.ts";

export type SessionStatus = "active" | "archived" | "deleted";

/** An ancestor whose records a fork reads, as of that revision. */
export interface LineageStep {
  sessionId: string;
  revision: number;
}

/** Counters stored with the session, so that no edit has to count rows. */
export interface Counters {
  notes: number;
  tags: number;
  states: number;
  /** Timestamp of the newest note id, in milliseconds; never decreases. */
  lastNoteId: number;
  /** Number of the newest reference; never decreases. */
  lastRef: number;
  /** Number of the newest message; never decreases. */
  lastMessage: number;
  /** Number of the newest task; never decreases. */
  lastTask: number;
  /** Number of the newest change of memory shown in the prompt; never decreases. */
  lastShownChange: number;
  /** Number of the newest pin; never decreases. */
  lastPin: number;
}

/** Counters of existing records. */
export type Tally = "notes" | "tags" | "states";

/** Counters that never decrease. */
export type Mark = "lastNoteId" | "lastRef" | "lastMessage" | "lastTask" | "lastShownChange" | "lastPin";

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
  /** The session's version; each commit increments it. */
  revision: number;
  /** The newest revision that was forked; older rows are shared with the fork. */
  lastFork: number;
  counters: Counters;
  /** Null until first used. */
  notepad: string | null;
}

export type TextTarget = "notepad" | "space/notes" | "space/plan" | "space/system";

/**
 * One effect of an operation, with the data to undo it. A null value means there is no such record.
 * `first`: the text was unused before; `unused`: it is unused again.
 */
export type Change =
  | ({ type: "text"; target: TextTarget; first?: true; unused?: true } & Splice)
  | RecordChange
  | { type: "count"; counter: Tally; by: number }
  | { type: "mark"; counter: Mark; before: number; after: number }
  | { type: "field"; field: "title" | "status"; before: string | null; after: string | null }
  | { type: "forked"; before: number; after: number };

/** A changed record: its value before and after, null if there is none. */
export type RecordChange = {
  [Kind in RecordKind]: {
    type: "record";
    kind: Kind;
    key: string;
    before: RecordValues[Kind] | null;
    after: RecordValues[Kind] | null;
  };
}[RecordKind];

/** The part of a session kept in memory: its row and its resident records. */
export interface State {
  readonly row: Readonly<SessionRow>;
  readonly resident: ReadonlyMap<RecordId, RecordValue>;
  /** The user's rules for the whole project. Another session holds them, and this one shows them. */
  readonly projectPins?: readonly ProjectPin[];
}

export type ProjectPin = RecordValues["pin"] & { id: string };

export function readText(state: State, target: TextTarget): string {
  if (target === "notepad") return state.row.notepad ?? "";
  return residentRecord(state, "space", target.slice("space/".length)) ?? "";
}

export function residentRecord<Kind extends RecordKind>(
  state: State,
  kind: Kind,
  key: string,
): RecordValues[Kind] | undefined {
  return state.resident.get(recordId(kind, key)) as RecordValues[Kind] | undefined;
}

export function listResident<Kind extends RecordKind>(
  state: State,
  kind: Kind,
): [key: string, value: RecordValues[Kind]][] {
  const prefix = `${kind}/`;
  const found: [string, RecordValues[Kind]][] = [];
  for (const [id, value] of state.resident)
    if (id.startsWith(prefix)) found.push([id.slice(prefix.length), value as RecordValues[Kind]]);
  return found.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Called for each change to a non-resident record; `side` selects its current value. */
export type RecordVisitor = (change: RecordChange, side: "before" | "after") => void;

/** Replays changes onto a state. */
export function applyChanges(state: State, changes: readonly Change[], visit?: RecordVisitor): State {
  return fold(state, changes, "after", visit);
}

/** Reverts changes: returns the state before them. */
export function revertChanges(state: State, changes: readonly Change[], visit?: RecordVisitor): State {
  return fold(state, changes.toReversed(), "before", visit);
}

function fold(
  state: State,
  changes: readonly Change[],
  side: "before" | "after",
  visit?: RecordVisitor,
): State {
  const row: SessionRow = { ...state.row, counters: { ...state.row.counters } };
  let resident = state.resident;
  let own: Map<RecordId, RecordValue> | undefined;
  const write = (id: RecordId, value: RecordValue | null) => {
    own ??= new Map(state.resident);
    resident = own;
    if (value === null) own.delete(id);
    else own.set(id, value);
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
        else visit?.(change, side);
        break;
      case "count":
        row.counters[change.counter] += side === "after" ? change.by : -change.by;
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
  return { ...state, row, resident };
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
    lastShownChange: 0,
    lastPin: 0,
  };
}
