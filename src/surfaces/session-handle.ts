import type { Actor } from "../engine/journal.ts";
import type { Json } from "../engine/json.ts";
import type { RecordKind, RecordValues } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import type { KeyValues } from "./knowledge/key-values.ts";
import type { Knowledge } from "./knowledge/knowledge.ts";
import type { Notepad } from "./notepad/handle.ts";
import type { Notes } from "./notes/handle.ts";
import type { NoteIndex } from "./notes/note-index.ts";
import type { JournalEntry, Operation, ResultOf } from "./operations.ts";
import type { ScratchpadHandle } from "./scratchpad/handle.ts";

export interface ApplyOptions {
  /** Who writes (default: the agent). */
  actor?: Actor;
  /** The surface through which it came. */
  surface?: string;
  /** The same key twice changes nothing and gives the first answer. */
  key?: string;
}

export interface AppliedOperation<Result> {
  result: Result;
  warnings: string[];
  revision: number;
  /** True when the idempotency key had been used before and this is the first answer again. */
  repeated: boolean;
  /** The session right after the operation, before anyone else's. */
  state: State;
}

/** Journal entries with `from <= revision <= to`, newest first by default. */
export interface HistorySelection {
  from?: number;
  to?: number;
  limit?: number;
  newestFirst?: boolean;
}

/** What a surface may ask of the session that it works on; `Session` is the one implementation. */
export interface SessionHandle {
  readonly id: string;
  readonly owner: string;
  readonly notepad: Notepad;
  readonly notes: Notes;
  readonly scratchpad: ScratchpadHandle;
  /** JSON values of this session alone. */
  readonly scratch: KeyValues;
  state(): Promise<State>;
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
  noteIndex(): Promise<NoteIndex>;
  /** What this session's agent knows in every session. */
  knowledge(): Promise<Knowledge>;
}
