import { z } from "zod";
import { editAnswer, editInput, editOutput, operationOf } from "../edit-tool.ts";
import { defineTool, type Surface } from "../surface.ts";
import { notepadView } from "./block.ts";

const readNotepad = defineTool({
  name: "read_notepad",
  description: 'Read the session notepad; "" if nothing was written yet.',
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
  description:
    "Edit the session notepad: append or prepend text, on a line of its own; replace or delete an exact text.",
  input: editInput,
  output: editOutput,
  destructive: true,
  run: async ({ session, options }, input) => {
    const { result } = await session.apply(operationOf("notepad", input), options);
    return editAnswer(input, result);
  },
});

export const notepadSurface: Surface = {
  ...notepadView,
  tools: [readNotepad, writeNotepad, updateNotepad],
  guidance: () =>
    "For multi-step or complex tasks, use the session notepad to track your plan and record findings as you work. The notepad survives context compaction — conversation details may be summarized, but the notepad is preserved in full. Update it after significant findings or completed steps.",
};
