import { checkCounts, checkTexts } from "../../engine/check-fields.ts";
import type { Draft } from "../../engine/draft.ts";
import { type EditCounts, type EditOperation, editWithin } from "../../engine/edit-text.ts";
import type { Json } from "../../engine/json.ts";
import type { Limits } from "../../engine/limits.ts";
import type { Handler, Handlers, Outcome } from "../../engine/operations.ts";
import type { KeyValue, SkillValue, ToolValue } from "../../engine/records.ts";
import { listResident, readText, type State } from "../../engine/state.ts";
import { countCharacters, isLongerThan, quote } from "../../engine/text.ts";
import type { UndoRules } from "../../engine/undo.ts";
import { HoldfastError } from "../../errors.ts";

/** Edits of an agent's permanent instructions, and locks on passages of them. */
type SystemPromptOperation =
  | EditOperation<"system">
  | { type: "system.lock"; text: string }
  | { type: "system.unlock"; text: string };

const edit: Handler<EditOperation<"system">, EditCounts> = (draft, operation, state, { limits }) => {
  const { text, counts } = editWithin(draft.text("space/system"), operation, {
    name: "system prompt",
    limit: limits.systemPromptCharacters,
    editTool: "edit_system_prompt",
    hasReader: false,
    writeTool: "find_replace",
  });
  draft.setText("space/system", text);
  checkLocks(draft, state);
  return { result: counts, warnings: [] };
};

const systemPromptOperations: Handlers<SystemPromptOperation, EditCounts> = {
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
    if (after?.includes(form)) continue;
    throw new HoldfastError(
      "locked",
      `A person has locked ${quote(locked)} in the system prompt; this edit would change it. Nothing was changed. Leave that passage as it is, or ask the person to unlock it.`,
      { data: { text: locked } },
    );
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

/** The items that an agent saves for later sessions: skills (texts) and tools (programs). */
type SavedItemOperation =
  | { type: "skills.save"; name: string; description: string; content: string }
  | { type: "skills.delete"; name: string }
  | { type: "tools.save"; name: string; description: string; schema: Json; code: string }
  | { type: "tools.delete"; name: string };

export type Version = { version: number };

export interface SavedSkill extends SkillValue {
  name: string;
}

export interface SavedTool extends ToolValue {
  name: string;
}

const savedItemOperations: Handlers<SavedItemOperation, Version> = {
  "skills.save"(draft, operation, state, { limits }) {
    const { name, description, content } = operation;
    checkTexts(operation, "name", "description", "content");
    checkFits(state, "skill", name, content, { characters: limits.skillCharacters, items: limits.skills });
    const version = (draft.record("skill", name)?.version ?? 0) + 1;
    draft.put("skill", name, { description, content, version });
    return { result: { version }, warnings: [] };
  },
  "tools.save"(draft, operation, state, { limits }) {
    const { name, description, schema, code } = operation;
    checkTexts(operation, "name", "description", "code");
    checkFits(state, "tool", name, code, { characters: limits.toolCharacters, items: limits.tools });
    const version = (draft.record("tool", name)?.version ?? 0) + 1;
    draft.put("tool", name, { description, schema, code, version });
    return { result: { version }, warnings: [] };
  },
  "skills.delete": (draft, { name }, state) => remove(draft, state, "skill", name),
  "tools.delete": (draft, { name }, state) => remove(draft, state, "tool", name),
};

export function readSkills(state: State): SavedSkill[] {
  return listResident(state, "skill").map(([name, value]) => ({ name, ...value }));
}

export function readTools(state: State): SavedTool[] {
  return listResident(state, "tool").map(([name, value]) => ({ name, ...value }));
}

function remove(draft: Draft, state: State, kind: "skill" | "tool", name: string): Outcome<Version> {
  checkTexts({ name }, "name");
  const before = draft.record(kind, name);
  if (!before) {
    const names = listResident(state, kind).map(([known]) => known);
    throw new HoldfastError(
      "not_found",
      `There is no ${kind} ${quote(name)} to delete. The ${kind}s are: ${names.join(", ") || "none"}.`,
      { data: { name } },
    );
  }
  draft.remove(kind, name);
  return { result: { version: before.version }, warnings: [] };
}

function checkFits(
  state: State,
  kind: "skill" | "tool",
  name: string,
  text: string,
  limits: { characters: number; items: number },
): void {
  if (isLongerThan(text, limits.characters)) {
    const characters = countCharacters(text);
    throw new HoldfastError(
      "over_limit",
      `The ${kind} ${quote(name)} is ${characters} characters long; the limit is ${limits.characters}. Nothing was changed. Shorten it.`,
      { data: { characters, limit: limits.characters } },
    );
  }
  const saved = listResident(state, kind);
  if (saved.length < limits.items || saved.some(([known]) => known === name)) return;
  const next =
    kind === "tool"
      ? "First delete a tool you no longer need with delete_tool."
      : "Save it under the name of a skill you no longer need, which replaces that skill.";
  throw new HoldfastError(
    "over_limit",
    `There are ${limits.items} ${kind}s already, which is the limit. Nothing was changed. ${next}`,
    { data: { limit: limits.items } },
  );
}

/** JSON values by key. `expected` is the version the caller knows; 0: the key must not exist yet. */
type KeyValueOperation =
  | { type: "state.set"; key: string; value: Json; expected?: number }
  | { type: "state.delete"; key: string; expected?: number };

const keyValueOperations: Handlers<KeyValueOperation, Version> = {
  "state.set"(draft, operation, _state, { limits }) {
    const { key, value } = operation;
    const before = readValue(draft, operation);
    checkSize(key, value, limits);
    if (!before) {
      if (draft.counter("states") >= limits.stateKeys)
        throw new HoldfastError(
          "over_limit",
          `There are ${limits.stateKeys} keys already, which is the limit. Nothing was changed. Delete keys you no longer need with delete_state.`,
          { data: { limit: limits.stateKeys } },
        );
      draft.count("states", 1);
    }
    const version = draft.row.revision + 1;
    draft.put("state", key, { value, version });
    return { result: { version }, warnings: [] };
  },
  "state.delete"(draft, operation) {
    const { key } = operation;
    if (!readValue(draft, operation))
      throw new HoldfastError(
        "not_found",
        `There is no value under ${quote(key)}. Call list_state to see the keys.`,
        { data: { key } },
      );
    draft.remove("state", key);
    draft.count("states", -1);
    return { result: { version: 0 }, warnings: [] };
  },
};

/** The current value; throws if it is not at the version the caller expects. */
function readValue(draft: Draft, operation: KeyValueOperation): KeyValue | null {
  checkTexts(operation, "key");
  const { key, expected } = operation;
  if (expected !== undefined) checkCounts(operation, "expected");
  const current = draft.record("state", key);
  if (expected === undefined || expected === (current?.version ?? 0)) return current;
  const now = current ? `it is at version ${current.version}` : "there is no such key";
  throw new HoldfastError(
    "conflict",
    `${quote(key)} was expected at version ${expected}, but ${now}. Nothing was changed. Read it again and retry.`,
    { data: { key, expected, version: current?.version ?? 0, value: current?.value ?? null } },
  );
}

function checkSize(key: string, value: Json, limits: Limits): void {
  if (key === "" || isLongerThan(key, limits.stateKeyCharacters))
    throw new HoldfastError(
      "invalid_input",
      `A key must have 1 to ${limits.stateKeyCharacters} characters; ${quote(key)} has ${countCharacters(key)}. Nothing was changed.`,
    );
  // Programs can pass any value.
  if (["undefined", "bigint", "function", "symbol"].includes(typeof value))
    throw new HoldfastError(
      "invalid_input",
      `The value for ${quote(key)} must be JSON (got ${typeof value}). Nothing was changed. Convert it to text or to a plain object first.`,
      { data: { key } },
    );
  const characters = JSON.stringify(value).length;
  if (characters > limits.stateValueCharacters)
    throw new HoldfastError(
      "over_limit",
      `The value for ${quote(key)} is ${characters} characters of JSON; the limit is ${limits.stateValueCharacters}. Nothing was changed. Store less, or split it over several keys.`,
      { data: { characters, limit: limits.stateValueCharacters } },
    );
}

/** The operations on an agent's knowledge. The values by key are also those of a session, as its scratch. */
export const knowledgeOperations = {
  ...systemPromptOperations,
  ...savedItemOperations,
  ...keyValueOperations,
};
