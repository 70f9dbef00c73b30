import { z } from "zod";
import { HoldfastError } from "../../errors.ts";
import { required } from "../dispatch.ts";
import type { SessionHandle } from "../session-handle.ts";
import { defineTool, type Presentation, type Surface } from "../surface.ts";
import { renderScratchpad, scratchpadView } from "./block.ts";
import { readScratchpad, type ScratchpadOperation } from "./operations.ts";

const actions = ["set_notes", "append_notes", "set_plan", "refs.add", "refs.remove", "refs.set"] as const;

/** The schema asks for strings; other items are silently dropped, as specified. */
const strings = z
  .array(z.unknown().meta({ type: "string" }))
  .transform((items) => items.filter((item) => typeof item === "string"));

const input = z.strictObject({
  action: z.enum(actions).optional().describe("What to do"),
  content: z.string().optional().describe("For set_notes, append_notes, set_plan: the text"),
  ref: z.string().optional().describe("For refs.add, refs.remove: one path, URL or identifier"),
  items: strings.optional().describe("For refs.set: all refs (array of strings)"),
  mode: z
    .enum(["replace", "append"])
    .optional()
    .describe("Without an action: replace (default) overwrites the notes with content, append adds to them"),
});

const purpose =
  "Persist important working state (plans, findings, decisions) that survives context compaction.";

/** How the content comes back to the agent. */
const returns: Record<Presentation["shown"], string> = {
  message: "prepended to each message you receive",
  system: "prepended to each message you receive",
  epoch: "shown in your context, and so is each change of it",
  host: "shown to you again after a compaction if the host runs Holdfast's hooks; called without arguments, the tool returns it",
};

const scratchpad = defineTool({
  name: "session.scratchpad",
  description: `${purpose} Content is ${returns.message}.`,
  input,
  adapt: (limits, presentation) => ({
    description: `${purpose} Content is ${presentation.shown === "host" ? "returned by a call without arguments" : returns[presentation.shown]}.`,
    input: input.extend({
      content: input.shape.content.describe(
        `The text: for set_notes and append_notes up to ${limits.spaceNotesCharacters} characters in all, for set_plan up to ${limits.spacePlanCharacters}`,
      ),
      ref: input.shape.ref.meta({ maxLength: limits.refCharacters }),
      items: input.shape.items.describe(`For refs.set: all refs (array of strings), at most ${limits.refs}`),
    }),
  }),
  output: z.object({ message: z.string(), truncated: z.boolean().optional() }),
  destructive: true,
  run: async ({ session, options }, input) => {
    if (Object.keys(input).length === 0) return { message: await contentOf(session) };
    const { result } = await session.apply(operationOf(input), options);
    return result;
  },
  text: ({ message }) => message,
});

/** Without hooks, a host shows the model nothing, so the tool has to. */
async function contentOf(session: SessionHandle): Promise<string> {
  return renderScratchpad(readScratchpad(await session.state())) || "The scratchpad is empty.";
}

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
  guidance: (limits, { shown }) => `## Session Scratchpad
You have a persistent scratchpad tool (session.scratchpad) that survives context compaction.
Use it to save: multi-step plans, key findings, important decisions, accumulated state.
The scratchpad is ${returns[shown]}. Budget: ~${limits.scratchpadTokens} tokens.
Spaces: notes (${limits.spaceNotesCharacters} characters), plan (${limits.spacePlanCharacters} characters), refs (${limits.refs} items).
When you form a plan or complete a step: set_plan. A key fact (error, config value, root cause): append_notes. A file or URL you need again: refs.add. A space getting full: set_notes or set_plan with a tighter summary.
Don't write full file contents, conversation history, speculative ideas or the user's original request.
Call session.scratchpad with mode "replace" to overwrite the notes, or "append" to add incrementally.`,
};
