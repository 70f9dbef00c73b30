import { checkTexts } from "../../engine/check-fields.ts";
import type { Draft } from "../../engine/draft.ts";
import type { Environment, Outcome } from "../../engine/operations.ts";
import { type Json, listResident, type State } from "../../engine/state.ts";
import { countCharacters, isLongerThan, quote } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";

/** What an agent made for later: skills, which are texts, and tools, which are programs. */
export type ShelfOperation =
  | { type: "skills.save"; name: string; description: string; content: string }
  | { type: "skills.delete"; name: string }
  | { type: "tools.save"; name: string; description: string; schema: Json; code: string }
  | { type: "tools.delete"; name: string };

export type ShelfResult = { version: number };

export interface SavedSkill {
  name: string;
  description: string;
  content: string;
  /** 1 for the first; one more each time it is saved. */
  version: number;
}

export interface SavedTool {
  name: string;
  description: string;
  /** JSON Schema of its input. */
  schema: Json;
  code: string;
  version: number;
}

export function applyShelf(
  draft: Draft,
  state: State,
  operation: ShelfOperation,
  { limits }: Environment,
): Outcome<ShelfResult> {
  const kind = operation.type.startsWith("skills.") ? "skill" : "tool";
  checkTexts(operation, "name");
  const { name } = operation;
  const before = draft.record(kind, name) as { version: number } | null;
  if (operation.type === "skills.delete" || operation.type === "tools.delete") {
    if (!before) throw notThere(state, kind, name);
    draft.remove(kind, name);
    return { result: { version: before.version }, warnings: [] };
  }
  const [text, limit] =
    operation.type === "skills.save"
      ? [operation.content, limits.skillCharacters]
      : [operation.code, limits.toolCharacters];
  checkTexts(operation, "description");
  checkTexts({ text }, "text");
  if (isLongerThan(text, limit)) throw tooLong(kind, name, text, limit);
  const most = kind === "skill" ? limits.skills : limits.tools;
  if (!before && listResident(state, kind).length >= most) throw tooMany(kind, most);
  const version = (before?.version ?? 0) + 1;
  const { type: _type, name: _name, ...kept } = operation;
  draft.put(kind, name, { ...kept, version } as Json);
  return { result: { version }, warnings: [] };
}

export function readSkills(state: State): SavedSkill[] {
  return listResident(state, "skill").map(([name, value]) => ({
    name,
    ...(value as unknown as Omit<SavedSkill, "name">),
  }));
}

export function readTools(state: State): SavedTool[] {
  return listResident(state, "tool").map(([name, value]) => ({
    name,
    ...(value as unknown as Omit<SavedTool, "name">),
  }));
}

function notThere(state: State, kind: "skill" | "tool", name: string): HoldfastError {
  const names = listResident(state, kind).map(([known]) => known);
  return new HoldfastError(
    "not_found",
    `There is no ${kind} ${quote(name)} to delete. There are: ${names.join(", ") || "none"}.`,
    { data: { name } },
  );
}

function tooLong(kind: string, name: string, text: string, limit: number): HoldfastError {
  return new HoldfastError(
    "over_limit",
    `The ${kind} ${quote(name)} is ${countCharacters(text)} characters long; at most ${limit} fit. Nothing was changed. Shorten it.`,
    { data: { characters: countCharacters(text), limit } },
  );
}

function tooMany(kind: string, limit: number): HoldfastError {
  const next =
    kind === "tool"
      ? "Delete one that is no longer needed first, with delete_tool."
      : "Save it under the name of one that is no longer needed, which replaces that one.";
  return new HoldfastError(
    "over_limit",
    `There are ${limit} ${kind}s already, which is the limit. Nothing was changed. ${next}`,
    { data: { limit } },
  );
}
