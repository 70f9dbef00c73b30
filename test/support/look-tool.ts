import { tool } from "ai";
import { z } from "zod";
import { filler } from "./agent.ts";

/** A tool with a long result. */
export const lookTool = tool({
  inputSchema: z.object({ reads: z.number() }),
  execute: async () => filler(3_000),
});
