import { z } from "zod";
import { renderNotepad } from "../context/blocks.ts";
import type { NotepadOperation } from "../engine/notepad.ts";
import { defineTool, type Surface } from "./define-tool.ts";
import { required } from "./dispatch.ts";

const readNotepad = defineTool({
  name: "read_notepad",
  description: "Read the session notepad. Returns an empty string if nothing was written yet.",
  input: z.strictObject({}),
  output: z.object({ content: z.string() }),
  readOnly: true,
  idempotent: true,
  run: async ({ session }) => ({ content: await session.notepad.read() }),
});

const writeNotepad = defineTool({
  name: "write_notepad",
  description: 'Replace the whole session notepad. Write "" to clear it.',
  input: z.strictObject({
    content: z.string().describe("The new notepad content (replaces everything)"),
  }),
  output: z.object({ ok: z.literal(true) }),
  destructive: true,
  idempotent: true,
  run: async ({ session, options }, { content }) => {
    await session.notepad.write(content, options);
    return { ok: true as const };
  },
});

const updateNotepad = defineTool({
  name: "update_notepad",
  description: "Edit part of the session notepad: append or prepend a line, replace or delete an exact text.",
  input: z.strictObject({
    operation: z
      .enum(["find_replace", "append", "prepend", "delete"])
      .describe("The type of edit to perform"),
    content: z.string().optional().describe("For append/prepend: text to add. For delete: text to remove."),
    find: z.string().optional().describe("For find_replace: exact substring to find"),
    replace: z.string().optional().describe("For find_replace: replacement text"),
    replace_all: z
      .boolean()
      .optional()
      .describe("For find_replace: replace all occurrences. Default: false."),
  }),
  output: z.object({
    ok: z.literal(true),
    replaced: z.number().optional(),
    other_matches: z.number().optional(),
    message: z.string().optional(),
  }),
  destructive: true,
  run: async ({ session, options }, input) => {
    const { result } = await session.apply(operationOf(input), options);
    const { replaced, otherMatches } = result;
    return {
      ok: true as const,
      ...(replaced === undefined ? {} : { replaced }),
      ...(otherMatches
        ? { other_matches: otherMatches, message: othersLeft(input.operation, otherMatches) }
        : {}),
    };
  },
});

interface UpdateInput {
  operation: "find_replace" | "append" | "prepend" | "delete";
  content?: string | undefined;
  find?: string | undefined;
  replace?: string | undefined;
  replace_all?: boolean | undefined;
}

function operationOf(input: UpdateInput): NotepadOperation {
  const { operation } = input;
  if (operation === "find_replace") {
    return {
      type: "notepad.replace",
      find: required(input.find, "find", operation),
      replace: required(input.replace, "replace", operation),
      all: input.replace_all ?? false,
    };
  }
  return { type: `notepad.${operation}`, content: required(input.content, "content", operation) };
}

function othersLeft(operation: string, count: number): string {
  const next =
    operation === "find_replace"
      ? "Set replace_all to true to replace them too."
      : "Call delete again to remove the next one.";
  return `The first match was changed; ${count} other ${count === 1 ? "match is" : "matches are"} left. ${next}`;
}

/** A freeform text that is put back before the model in full, every turn. */
export const notepadSurface: Surface = {
  name: "notepad",
  tools: [readNotepad, writeNotepad, updateNotepad],
  guidance: () =>
    "For multi-step or complex tasks, use the session notepad to track your plan and record findings as you work. The notepad survives context compaction — conversation details may be summarized, but the notepad is preserved in full. Update it after significant findings or completed steps.",
  block: (state) => ({ placement: "system", text: renderNotepad(state.row.notepad ?? "") }),
};
