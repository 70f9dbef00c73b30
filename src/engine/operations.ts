import { HoldfastError } from "../errors.ts";
import { applyShelf, type ShelfOperation, type ShelfResult } from "../surfaces/knowledge/saved-items.ts";
import {
  applyKeyValues,
  type KeyValueOperation,
  type KeyValueResult,
} from "../surfaces/knowledge/state-operations.ts";
import {
  applySystemPrompt,
  type SystemPromptOperation,
  type SystemPromptResult,
} from "../surfaces/knowledge/system-prompt.ts";
import { applyNotepad, type NotepadOperation, type NotepadResult } from "../surfaces/notepad/operations.ts";
import { applyNotes, type NotesOperation, type NotesResult } from "../surfaces/notes/operations.ts";
import {
  applyScratchpad,
  type ScratchpadOperation,
  type ScratchpadResult,
} from "../surfaces/scratchpad/operations.ts";
import { applyChildren, type ChildOperation, type ChildResult } from "../surfaces/sessions/operations.ts";
import { applyConversation, type ConversationOperation, type ConversationResult } from "./conversation.ts";
import { Draft, RecordsNeeded } from "./draft.ts";
import { applyLifecycle, type LifecycleOperation, type LifecycleResult } from "./lifecycle.ts";
import type { Limits } from "./limits.ts";
import { applyMessages, type MessageOperation, type MessageResult } from "./messages.ts";
import type { Change, Json, RecordId, State } from "./state.ts";
import { quote } from "./text.ts";
import { applyUndo, type UndoOperation, type UndoResult } from "./undo.ts";

/** One edit: pure, serialisable, replayable. */
export type Operation =
  | NotepadOperation
  | NotesOperation
  | ScratchpadOperation
  | MessageOperation
  | ConversationOperation
  | ChildOperation
  | SystemPromptOperation
  | KeyValueOperation
  | ShelfOperation
  | LifecycleOperation
  | UndoOperation;

export type ResultOf<O extends Operation> = O extends NotepadOperation
  ? NotepadResult
  : O extends NotesOperation
    ? NotesResult
    : O extends ScratchpadOperation
      ? ScratchpadResult
      : O extends MessageOperation
        ? MessageResult
        : O extends UndoOperation
          ? UndoResult
          : O extends ConversationOperation
            ? ConversationResult
            : O extends ChildOperation
              ? ChildResult
              : O extends SystemPromptOperation
                ? SystemPromptResult
                : O extends KeyValueOperation
                  ? KeyValueResult
                  : O extends ShelfOperation
                    ? ShelfResult
                    : LifecycleResult;

/** What the engine may know of the world. */
export interface Environment {
  now: number;
  limits: Limits;
  countTokens: (text: string) => number;
}

export interface Outcome<Result> {
  result: Result;
  warnings: string[];
}

export type Applied<Result> =
  | ({ status: "applied"; changes: Change[] } & Outcome<Result>)
  | { status: "needs"; ids: RecordId[] };

/**
 * Applies one operation to a state. Throws a HoldfastError when the operation is refused; answers with
 * the records it needs when they are not loaded; never changes its arguments.
 */
export function apply<O extends Operation>(
  state: State,
  loaded: ReadonlyMap<RecordId, Json>,
  operation: O,
  environment: Environment,
): Applied<ResultOf<O>> {
  const draft = new Draft(state, loaded);
  try {
    const outcome = run(draft, state, operation, environment);
    return { status: "applied", changes: draft.changes, ...(outcome as Outcome<ResultOf<O>>) };
  } catch (thrown) {
    if (thrown instanceof RecordsNeeded) return { status: "needs", ids: thrown.ids };
    throw thrown;
  }
}

function run(draft: Draft, state: State, operation: Operation, environment: Environment): Outcome<unknown> {
  switch (operation?.type) {
    case "notepad.write":
    case "notepad.append":
    case "notepad.prepend":
    case "notepad.replace":
    case "notepad.delete":
      return applyNotepad(draft, operation, environment);
    case "notes.add":
    case "notes.update":
    case "notes.delete":
      return applyNotes(draft, operation, environment);
    case "scratchpad.set_notes":
    case "scratchpad.append_notes":
    case "scratchpad.set_plan":
    case "scratchpad.refs_add":
    case "scratchpad.refs_remove":
    case "scratchpad.refs_set":
    case "scratchpad.write":
      return applyScratchpad(draft, state, operation, environment);
    case "messages.add":
      return applyMessages(draft, operation);
    case "context.open":
    case "context.inject":
    case "context.fold":
    case "context.tell":
    case "context.warn":
    case "context.skip_warning":
    case "context.checkpoint":
    case "context.clear":
    case "context.compact":
    case "context.receipt":
    case "tasks.begin":
    case "tasks.end":
    case "tasks.cancel":
      return applyConversation(draft, state, operation);
    case "children.set":
      return applyChildren(draft, operation);
    case "system.write":
    case "system.append":
    case "system.prepend":
    case "system.replace":
    case "system.delete":
    case "system.lock":
    case "system.unlock":
      return applySystemPrompt(draft, state, operation, environment);
    case "state.set":
    case "state.delete":
      return applyKeyValues(draft, operation, environment);
    case "skills.save":
    case "skills.delete":
    case "tools.save":
    case "tools.delete":
      return applyShelf(draft, state, operation, environment);
    case "session.rename":
    case "session.status":
    case "session.fork":
      return applyLifecycle(draft, operation);
    case "undo":
      return applyUndo(draft, state, operation, environment);
    default:
      throw unknownOperation(operation);
  }
}

function unknownOperation(operation: never): HoldfastError {
  const { type } = (operation ?? {}) as { type?: unknown };
  const problem =
    typeof type === "string"
      ? `There is no operation ${quote(type)}`
      : `An operation is an object with a "type"`;
  return new HoldfastError("invalid_input", `${problem}. Nothing was changed.`, { data: { type } });
}
