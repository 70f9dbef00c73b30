import type { Actor } from "../engine/journal.ts";
import type { Json } from "../engine/json.ts";
import type { RecordKind, RecordValues } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import type { KeyValues, Knowledge } from "./knowledge/handle.ts";
import type { Notepad } from "./notepad/handle.ts";
import type { Notes } from "./notes/handle.ts";
import type { JournalEntry, Operation, ResultOf } from "./operations.ts";
import type { Pins } from "./pins/handle.ts";
import type { ScratchpadHandle } from "./scratchpad/handle.ts";

export interface ApplyOptions {
  /** Who writes (default: the agent). */
  actor?: Actor;
  /** The surface the write came through. */
  surface?: string;
  /** Idempotency key: using it again changes nothing and returns the first answer. */
  key?: string;
}

export interface AppliedOperation<Result> {
  result: Result;
  warnings: string[];
  revision: number;
  /** True when the idempotency key was used before and this is the answer from then. */
  repeated: boolean;
  /** The state right after this operation, before any concurrent one. */
  state: State;
}

/** Journal entries with `from <= revision <= to`, newest first by default. */
export interface HistorySelection {
  from?: number;
  to?: number;
  limit?: number;
  newestFirst?: boolean;
}

/** The part of a session that surfaces use; `Session` implements it. */
export interface SessionHandle {
  readonly id: string;
  readonly owner: string;
  readonly notepad: Notepad;
  readonly notes: Notes;
  readonly scratchpad: ScratchpadHandle;
  readonly pins: Pins;
  /** JSON values of this session only. */
  readonly scratch: KeyValues;
  state(): Promise<State>;
  /** A text without secrets, unless the memory allows them. */
  hideSecrets(text: string): string;
  apply<O extends Operation>(operation: O, options?: ApplyOptions): Promise<AppliedOperation<ResultOf<O>>>;
  change<O extends Operation>(
    make: (state: State) => O | Promise<O>,
    isSame: (earlier: JournalEntry) => boolean,
    options?: ApplyOptions,
  ): Promise<AppliedOperation<ResultOf<O>>>;
  records<Kind extends RecordKind>(
    kind: Kind,
    keys?: readonly string[],
    range?: { from?: string; to?: string },
  ): Promise<{ key: string; value: RecordValues[Kind] }[]>;
  messages(from?: number, to?: number): Promise<Json[]>;
  history(selection?: HistorySelection): Promise<JournalEntry[]>;
  /** The agent's knowledge, shared by all its sessions. */
  knowledge(): Promise<Knowledge>;
  /** The session that holds the pins of the whole project; this one if the memory belongs to no project. */
  project(): Promise<SessionHandle>;
}
