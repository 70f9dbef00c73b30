import { conversationOperations } from "../engine/conversation.ts";
import type { LoadedRecords } from "../engine/draft.ts";
import type { JournalEntry as EngineEntry, SessionBirth } from "../engine/journal.ts";
import { lifecycleOperations } from "../engine/lifecycle.ts";
import { messageOperations } from "../engine/messages.ts";
import { type Applied, apply, type Environment } from "../engine/operations.ts";
import type { State } from "../engine/state.ts";
import { undoOperations } from "../engine/undo.ts";
import { knowledgeOperations, systemPromptUndo } from "./knowledge/operations.ts";
import { notepadOperations, notepadUndo } from "./notepad/operations.ts";
import { notesOperations, notesUndo } from "./notes/operations.ts";
import { pinOperations, pinUndo } from "./pins/operations.ts";
import { scratchpadOperations, scratchpadUndo } from "./scratchpad/operations.ts";
import { childOperations } from "./sessions/operations.ts";
import { taskOperations } from "./tasks/operations.ts";

/** All operations. A surface registers its handlers here and its undo rules below. */
const handlers = {
  ...lifecycleOperations,
  ...messageOperations,
  ...conversationOperations,
  ...notepadOperations,
  ...notesOperations,
  ...scratchpadOperations,
  ...taskOperations,
  ...pinOperations,
  ...childOperations,
  ...knowledgeOperations,
  ...undoOperations([notepadUndo, notesUndo, scratchpadUndo, systemPromptUndo, pinUndo]),
};

type Registered = typeof handlers;

/** One edit: pure, serialisable, replayable. */
export type Operation = { [Type in keyof Registered]: Parameters<Registered[Type]>[1] }[keyof Registered];

export type ResultOf<O extends Operation> = ReturnType<Registered[O["type"]]>["result"];

/** A journal entry with its typed operation. */
export type JournalEntry = EngineEntry<Operation | SessionBirth>;

export function applyOperation<O extends Operation>(
  state: State,
  loaded: LoadedRecords,
  operation: O,
  environment: Environment,
): Applied<ResultOf<O>> {
  return apply<ResultOf<O>>(handlers, state, loaded, operation, environment);
}
