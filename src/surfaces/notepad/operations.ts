import { type EditCounts, type EditOperation, editWithin } from "../../engine/edit-text.ts";
import type { Handler, Handlers } from "../../engine/operations.ts";
import { isLongerThan } from "../../engine/text.ts";
import type { UndoRules } from "../../engine/undo.ts";

export type NotepadOperation = EditOperation<"notepad">;

export type NotepadResult = EditCounts;

const edit: Handler<NotepadOperation, NotepadResult> = (draft, operation, _state, { limits }) => {
  const { text, counts } = editWithin(draft.text("notepad"), operation, {
    name: "notepad",
    limit: limits.notepadCharacters,
    editTool: "update_notepad",
    hasReader: true,
    writeTool: "write_notepad",
  });
  draft.setText("notepad", text);
  return { result: counts, warnings: [] };
};

export const notepadOperations: Handlers<NotepadOperation, NotepadResult> = {
  "notepad.write": edit,
  "notepad.append": edit,
  "notepad.prepend": edit,
  "notepad.replace": edit,
  "notepad.delete": edit,
};

export const notepadUndo: UndoRules = {
  fits: { notepad: (text, { limits }) => !isLongerThan(text, limits.notepadCharacters) },
};
