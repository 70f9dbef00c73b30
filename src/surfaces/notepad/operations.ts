import type { Draft } from "../../engine/draft.ts";
import { type EditCounts, type EditOperation, editWithin } from "../../engine/edit-text.ts";
import type { Environment, Outcome } from "../../engine/operations.ts";

export type NotepadOperation = EditOperation<"notepad">;

export type NotepadResult = EditCounts;

export function applyNotepad(
  draft: Draft,
  operation: NotepadOperation,
  { limits }: Environment,
): Outcome<NotepadResult> {
  const { text, counts } = editWithin(draft.text("notepad"), operation, {
    name: "notepad",
    limit: limits.notepadCharacters,
    editTool: "update_notepad",
    writeTool: "write_notepad",
  });
  draft.setText("notepad", text);
  return { result: counts, warnings: [] };
}
