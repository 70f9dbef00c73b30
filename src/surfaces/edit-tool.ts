import { z } from "zod";
import type { EditCounts, EditOperation } from "../engine/edit-text.ts";
import { required } from "./dispatch.ts";

/** Input of `update_notepad` and `edit_system_prompt`. */
export const editInput = z.strictObject({
  operation: z.enum(["find_replace", "append", "prepend", "delete"]).describe("The type of edit to perform"),
  content: z.string().optional().describe("For append/prepend: text to add. For delete: text to remove."),
  find: z.string().optional().describe("For find_replace: exact substring to find"),
  replace: z.string().optional().describe("For find_replace: replacement text"),
  replace_all: z.boolean().optional().describe("For find_replace: replace all occurrences. Default: false."),
});

export const editOutput = z.object({
  ok: z.literal(true),
  replaced: z.number().optional(),
  other_matches: z.number().optional(),
  message: z.string().optional(),
});

type EditInput = z.output<typeof editInput>;

/** Builds the operation for a call on the named text. */
export function operationOf<Text extends string>(text: Text, input: EditInput): EditOperation<Text> {
  const { operation } = input;
  if (operation === "find_replace") {
    return {
      type: `${text}.replace`,
      find: required(input.find, "find", operation),
      replace: required(input.replace, "replace", operation),
      all: input.replace_all ?? false,
    };
  }
  return { type: `${text}.${operation}`, content: required(input.content, "content", operation) };
}

export function editAnswer(
  { operation, replace_all: all = false }: EditInput,
  { replaced, otherMatches }: EditCounts,
): z.output<typeof editOutput> {
  return {
    ok: true,
    ...(all && replaced !== undefined ? { replaced } : {}),
    ...(otherMatches
      ? { other_matches: otherMatches, message: otherMatchesMessage(operation, otherMatches) }
      : {}),
  };
}

function otherMatchesMessage(operation: string, count: number): string {
  const next =
    operation === "find_replace"
      ? "Set replace_all to true to replace them too."
      : "Call delete again to remove the next one.";
  return `Changed the first match; ${count} other ${count === 1 ? "match remains" : "matches remain"}. ${next}`;
}
