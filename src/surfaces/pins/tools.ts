import { z } from "zod";
import { type Call, defineTool, type Surface } from "../surface.ts";
import { pinsView } from "./block.ts";

const pin = defineTool({
  name: "pin",
  description: "Keep a rule in the user's own words, shown first in every turn.",
  adapt: (_limits, { shown }) =>
    shown === "host" ? { description: "Keep a rule in the user's own words." } : {},
  input: z.strictObject({ text: z.string().describe("Word for word") }),
  output: z.object({ ok: z.literal(true), id: z.string(), text: z.string() }),
  run: async ({ session, options }, input) => {
    const { result } = await session.pins.pin(input.text, options);
    return { ok: true as const, ...result };
  },
});

const unpin = defineTool({
  name: "unpin",
  description: "Remove a pin that the user took back.",
  input: z.strictObject({ id: z.string() }),
  output: z.object({ ok: z.literal(true), id: z.string(), text: z.string() }),
  destructive: true,
  run: async ({ session, options }, input) => {
    const { result } = await session.pins.unpin(input.id, options);
    return { ok: true as const, ...result };
  },
});

const listTool = defineTool({
  name: "list_pins",
  description: "List pins with their ids.",
  input: z.strictObject({}),
  output: z.object({ pins: z.array(z.object({ id: z.string(), text: z.string() })) }),
  readOnly: true,
  idempotent: true,
  run: async ({ session }: Call) => ({
    pins: (await session.pins.list()).map(({ id, text }) => ({ id, text })),
  }),
});

export const pinsSurface: Surface = {
  ...pinsView,
  // The state brings the project's pins. They change without an entry in the session's journal.
  refresh: async () => {},
  tools: [pin, unpin, listTool],
  guidance: (_limits, { shown }) =>
    `When the user states a lasting rule (never, always, do not … until), call pin with the user's own words.${shown === "host" ? "" : " Pins are shown first in every turn."} When the user takes a rule back or changes it, call unpin, and pin the new wording.`,
};
