import { z } from "zod";
import { HoldfastError } from "../../errors.ts";
import { required } from "../dispatch.ts";
import { type Call, defineTool, type Surface } from "../surface.ts";
import { pinsView } from "./block.ts";
import type { ListedPin } from "./operations.ts";

const id = z.string();

const listed = z.object({
  id: z.string(),
  text: z.string(),
  status: z.enum(["pinned", "found"]),
});

const pin = defineTool({
  name: "pin",
  description:
    "Keep a rule in the user's own words, shown first in every turn. With id: confirm a found rule.",
  adapt: ({ reading: { shown } }) =>
    shown === "host"
      ? { description: "Keep a rule in the user's own words. With id: confirm a found rule." }
      : {},
  input: z.strictObject({
    text: z.string().optional().describe("Word for word"),
    id: id.optional().describe("Instead of text"),
  }),
  output: z.object({ ok: z.literal(true), id: z.string(), text: z.string() }),
  run: async ({ session, options }, input) => {
    const { result } =
      input.id === undefined
        ? await session.pins.pin(required(input.text, "text", "a new pin"), options)
        : await session.pins.confirm(oneOf(input.id, input.text), options);
    return { ok: true as const, ...result };
  },
});

const unpin = defineTool({
  name: "unpin",
  description: "Remove a pin that the user took back, or a found rule that is none.",
  input: z.strictObject({ id }),
  output: z.object({ ok: z.literal(true), id: z.string(), text: z.string() }),
  destructive: true,
  run: async ({ session, options }, input) => {
    const { result } = await session.pins.unpin(input.id, options);
    return { ok: true as const, ...result };
  },
});

const listTool = defineTool({
  name: "list_pins",
  description: "List pins and found rules with their ids.",
  input: z.strictObject({}),
  output: z.object({ pins: z.array(listed) }),
  readOnly: true,
  idempotent: true,
  run: async ({ session }: Call) => ({ pins: (await session.pins.list()).map(describe) }),
});

function oneOf(given: string, text: string | undefined): string {
  if (text === undefined) return given;
  throw new HoldfastError(
    "invalid_input",
    `pin takes either "text", for a new pin, or "id", to confirm a found rule. Nothing was changed.`,
  );
}

function describe({ id: key, text, status }: ListedPin): z.output<typeof listed> {
  return { id: key, text, status: status === "pinned" ? "pinned" : "found" };
}

export const pinsSurface: Surface = {
  ...pinsView,
  tools: [pin, unpin, listTool],
  guidance: (_limits, { shown }) =>
    `When the user states a rule that is to hold from now on (never, always, do not … until), call pin with the user's own words. ${shown === "host" ? "Pins survive context compaction; list_pins returns them." : "Pins are shown first in every turn and survive context compaction."} When the user takes a rule back or changes it, call unpin, and pin the new wording.`,
};
