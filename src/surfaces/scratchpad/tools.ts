import { z } from "zod";
import { HoldfastError } from "../../errors.ts";
import { required } from "../dispatch.ts";
import { defineTool, type Surface } from "../surface.ts";
import { scratchpadView } from "./block.ts";
import type { ScratchpadOperation } from "./operations.ts";

const actions = ["set_notes", "append_notes", "set_plan", "refs.add", "refs.remove", "refs.set"] as const;

/** The schema asks for strings; other items are silently dropped, as specified. */
const strings = z
  .array(z.unknown().meta({ type: "string" }))
  .transform((items) => items.filter((item) => typeof item === "string"));

const scratchpad = defineTool({
  name: "session.scratchpad",
  description:
    "Persist important working state (plans, findings, decisions) that survives context compaction. Content is prepended to each message you receive.",
  input: z.strictObject({
    action: z.enum(actions).optional().describe("What to do"),
    content: z.string().optional().describe("For set_notes, append_notes, set_plan: the text"),
    ref: z.string().optional().describe("For refs.add, refs.remove: one path, URL or identifier"),
    items: strings.optional().describe("For refs.set: all refs (array of strings)"),
    mode: z
      .enum(["replace", "append"])
      .optional()
      .describe(
        "Without an action: replace (default) overwrites the notes with content, append adds to them",
      ),
  }),
  output: z.object({ message: z.string(), truncated: z.boolean().optional() }),
  destructive: true,
  run: async ({ session, options }, input) => {
    const { result } = await session.apply(operationOf(input), options);
    return result;
  },
  text: ({ message }) => message,
});

interface ScratchpadInput {
  action?: (typeof actions)[number] | undefined;
  content?: string | undefined;
  ref?: string | undefined;
  items?: string[] | undefined;
  mode?: "replace" | "append" | undefined;
}

function operationOf(input: ScratchpadInput): ScratchpadOperation {
  const { action, mode } = input;
  if (action === undefined) {
    if (input.content === undefined) {
      throw new HoldfastError(
        "invalid_input",
        `The parameter "action" is missing. It is one of ${actions.join(", ")}; or give "content" with mode "replace" or "append". Nothing was changed.`,
        { data: { field: "action" } },
      );
    }
    return { type: "scratchpad.write", content: input.content, mode: mode ?? "replace" };
  }
  if (mode !== undefined && (mode === "append") !== (action === "append_notes")) {
    throw new HoldfastError(
      "invalid_input",
      `"mode" ${JSON.stringify(mode)} contradicts the action ${action}. Leave "mode" out: it belongs to a call without an action. Nothing was changed.`,
      { data: { field: "mode" } },
    );
  }
  switch (action) {
    case "set_notes":
    case "append_notes":
    case "set_plan":
      return { type: `scratchpad.${action}`, content: required(input.content, "content", action) };
    case "refs.add":
      return { type: "scratchpad.refs_add", ref: required(input.ref, "ref", action) };
    case "refs.remove":
      return { type: "scratchpad.refs_remove", ref: required(input.ref, "ref", action) };
    case "refs.set":
      return { type: "scratchpad.refs_set", items: required(input.items, "items", action) };
  }
}

export const scratchpadSurface: Surface = {
  ...scratchpadView,
  tools: [scratchpad],
  guidance: (limits) => `## Session Scratchpad
You have a persistent scratchpad tool (session.scratchpad) that survives context compaction.
Use it to save: multi-step plans, key findings, important decisions, accumulated state.
The scratchpad is prepended to each message you receive. Budget: ~${limits.scratchpadTokens} tokens.
Spaces: notes (${limits.spaceNotesCharacters} characters: set_notes, append_notes), plan (${limits.spacePlanCharacters} characters: set_plan), refs (${limits.refs} items: refs.add, refs.remove, refs.set).
Call session.scratchpad with mode "replace" to overwrite the notes, or "append" to add incrementally.`,
};
