import { checkTexts } from "../../engine/check-fields.ts";
import type { Draft } from "../../engine/draft.ts";
import type { Json } from "../../engine/json.ts";
import type { Handlers, Outcome } from "../../engine/operations.ts";
import type { SkillValue, ToolValue } from "../../engine/records.ts";
import { listResident, type State } from "../../engine/state.ts";
import { countCharacters, isLongerThan, quote } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";

/** The items that an agent saves for later sessions: skills (texts) and tools (programs). */
export type SavedItemOperation =
  | { type: "skills.save"; name: string; description: string; content: string }
  | { type: "skills.delete"; name: string }
  | { type: "tools.save"; name: string; description: string; schema: Json; code: string }
  | { type: "tools.delete"; name: string };

export type SavedItemResult = { version: number };

export interface SavedSkill extends SkillValue {
  name: string;
}

export interface SavedTool extends ToolValue {
  name: string;
}

export const savedItemOperations: Handlers<SavedItemOperation, SavedItemResult> = {
  "skills.save"(draft, operation, state, { limits }) {
    const { name, description, content } = operation;
    checkTexts(operation, "name", "description", "content");
    checkFits(
      state,
      "skill",
      { name, text: content },
      { characters: limits.skillCharacters, items: limits.skills },
    );
    const version = (draft.record("skill", name)?.version ?? 0) + 1;
    draft.put("skill", name, { description, content, version });
    return { result: { version }, warnings: [] };
  },
  "tools.save"(draft, operation, state, { limits }) {
    const { name, description, schema, code } = operation;
    checkTexts(operation, "name", "description", "code");
    checkFits(
      state,
      "tool",
      { name, text: code },
      { characters: limits.toolCharacters, items: limits.tools },
    );
    const version = (draft.record("tool", name)?.version ?? 0) + 1;
    draft.put("tool", name, { description, schema, code, version });
    return { result: { version }, warnings: [] };
  },
  "skills.delete": (draft, { name }, state) => remove(draft, state, "skill", name),
  "tools.delete": (draft, { name }, state) => remove(draft, state, "tool", name),
};

function remove(draft: Draft, state: State, kind: "skill" | "tool", name: string): Outcome<SavedItemResult> {
  checkTexts({ name }, "name");
  const before = draft.record(kind, name);
  if (!before) throw noSuchItem(state, kind, name);
  draft.remove(kind, name);
  return { result: { version: before.version }, warnings: [] };
}

function checkFits(
  state: State,
  kind: "skill" | "tool",
  { name, text }: { name: string; text: string },
  limits: { characters: number; items: number },
): void {
  if (isLongerThan(text, limits.characters)) throw tooLong(kind, name, text, limits.characters);
  const saved = listResident(state, kind);
  const isNew = !saved.some(([known]) => known === name);
  if (isNew && saved.length >= limits.items) throw tooMany(kind, limits.items);
}

export function readSkills(state: State): SavedSkill[] {
  return listResident(state, "skill").map(([name, value]) => ({ name, ...value }));
}

export function readTools(state: State): SavedTool[] {
  return listResident(state, "tool").map(([name, value]) => ({ name, ...value }));
}

function noSuchItem(state: State, kind: "skill" | "tool", name: string): HoldfastError {
  const names = listResident(state, kind).map(([known]) => known);
  return new HoldfastError(
    "not_found",
    `There is no ${kind} ${quote(name)} to delete. The ${kind}s are: ${names.join(", ") || "none"}.`,
    { data: { name } },
  );
}

function tooLong(kind: string, name: string, text: string, limit: number): HoldfastError {
  return new HoldfastError(
    "over_limit",
    `The ${kind} ${quote(name)} is ${countCharacters(text)} characters long; the limit is ${limit}. Nothing was changed. Shorten it.`,
    { data: { characters: countCharacters(text), limit } },
  );
}

function tooMany(kind: string, limit: number): HoldfastError {
  const next =
    kind === "tool"
      ? "First delete a tool you no longer need with delete_tool."
      : "Save it under the name of a skill you no longer need, which replaces that skill.";
  return new HoldfastError(
    "over_limit",
    `There are ${limit} ${kind}s already, which is the limit. Nothing was changed. ${next}`,
    { data: { limit } },
  );
}
