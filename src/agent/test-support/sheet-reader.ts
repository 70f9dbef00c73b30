import { tool } from "ai";
import { z } from "zod";
import { filler, modelAt } from "../../../test/support/agent.ts";
import type { Memory } from "../../index.ts";
import { type Agent, createAgent } from "../index.ts";

/** An agent that reads sheets, with a window that holds only a few of them. */
export function sheetReader(
  memory: Memory,
  url: string,
  onRead: (sheet: number) => void = () => undefined,
): Agent {
  const readSheet = tool({
    inputSchema: z.object({ sheet: z.number() }),
    execute: async ({ sheet }) => {
      onRead(sheet);
      return `Sheet ${sheet}\n${filler(700)}`;
    },
  });
  return createAgent({
    memory,
    model: modelAt(url),
    tools: { read_sheet: readSheet },
    contextWindow: 4_500,
    clearing: false,
    surfaces: ["notepad", "results", "recall"],
  });
}
