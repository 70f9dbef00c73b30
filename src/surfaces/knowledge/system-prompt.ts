import { checkTexts } from "../../engine/check-fields.ts";
import type { Draft } from "../../engine/draft.ts";
import { type EditCounts, type EditOperation, editWithin } from "../../engine/edit-text.ts";
import type { Handler, Handlers } from "../../engine/operations.ts";
import { listResident, readText, type State } from "../../engine/state.ts";
import { isLongerThan, quote } from "../../engine/text.ts";
import type { UndoRules } from "../../engine/undo.ts";
import { HoldfastError } from "../../errors.ts";

/** Edits of an agent's permanent instructions, and locks on passages of them. */
export type SystemPromptOperation =
  | EditOperation<"system">
  | { type: "system.lock"; text: string }
  | { type: "system.unlock"; text: string };

export type SystemPromptResult = EditCounts;

const edit: Handler<EditOperation<"system">, SystemPromptResult> = (draft, operation, state, { limits }) => {
  const { text, counts } = editWithin(draft.text("space/system"), operation, {
    name: "system prompt",
    limit: limits.systemPromptCharacters,
    editTool: "edit_system_prompt",
    writeTool: "find_replace",
  });
  draft.setText("space/system", text);
  checkLocks(draft, state);
  return { result: counts, warnings: [] };
};

export const systemPromptOperations: Handlers<SystemPromptOperation, SystemPromptResult> = {
  "system.write": edit,
  "system.append": edit,
  "system.prepend": edit,
  "system.replace": edit,
  "system.delete": edit,
  "system.lock"(draft, operation, state) {
    checkTexts(operation, "text");
    lock(draft, state, operation.text);
    return { result: {}, warnings: [] };
  },
  "system.unlock"(draft, operation, state) {
    checkTexts(operation, "text");
    unlock(draft, state, operation.text);
    return { result: {}, warnings: [] };
  },
};

export const systemPromptUndo: UndoRules = {
  fits: { "space/system": (text, { limits }) => !isLongerThan(text, limits.systemPromptCharacters) },
  check: checkLocks,
};

export function readSystemPrompt(state: State): string {
  return readText(state, "space/system");
}

/** The passages that no edit may change until a person unlocks them. */
export function readLocks(state: State): string[] {
  return listResident(state, "lock").map(([, text]) => text);
}

/** Refuses a draft that removes a locked passage or joins it with other text on its lines. */
function checkLocks(draft: Draft, state: State): void {
  const [before, after] = [readSystemPrompt(state), draft.text("space/system")].map((text) => `\n${text}\n`);
  for (const [key] of listResident(state, "lock")) {
    const locked = draft.record("lock", key);
    if (locked === null) continue;
    const forms = [`\n${locked}\n`, `\n${locked}`, `${locked}\n`];
    const form = forms.find((each) => before?.includes(each)) ?? locked;
    if (!after?.includes(form)) throw isLocked(locked);
  }
}

function lock(draft: Draft, state: State, text: string): void {
  if (text.trim() === "" || !draft.text("space/system").includes(text)) {
    throw new HoldfastError(
      "text_not_found",
      `${quote(text)} is not in the system prompt, so it cannot be locked. Copy the passage exactly as it is there.`,
    );
  }
  if (readLocks(state).includes(text)) return;
  const numbers = listResident(state, "lock").map(([key]) => Number(key));
  draft.put("lock", String(Math.max(0, ...numbers) + 1), text);
}

function unlock(draft: Draft, state: State, text: string): void {
  const [key] = listResident(state, "lock").find(([, locked]) => locked === text) ?? [];
  if (key === undefined) {
    throw new HoldfastError(
      "not_found",
      `${quote(text)} is not locked. Locked passages: ${readLocks(state).map(quote).join(", ") || "none"}.`,
    );
  }
  draft.remove("lock", key);
}

function isLocked(text: string): HoldfastError {
  return new HoldfastError(
    "locked",
    `A person has locked ${quote(text)} in the system prompt; this edit would change it. Nothing was changed. Leave that passage as it is, or ask the person to unlock it.`,
    { data: { text } },
  );
}
