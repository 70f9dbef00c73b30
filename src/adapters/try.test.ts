import assert from "node:assert/strict";
import { test } from "node:test";
import { isStepCount, ToolLoopAgent, tool } from "ai";
import { z } from "zod";
import { append, call, filler, isSummaryRequest, isWarning, modelAt, plainSummary } from "../../test/support/agent.ts";
import { assertPrefixes, assertValidPrompt } from "../../test/support/prompt.ts";
import { openMemory } from "../index.ts";
import { startScriptedServer } from "../testing/index.ts";
import { holdfast } from "./ai-sdk.ts";

test("try", async () => {
  let sheet = 0;
  const server = await startScriptedServer((request) => {
    if (isSummaryRequest(request)) return { text: plainSummary(request) };
    if (isWarning(request)) return { toolCalls: [append(`- sheets up to ${sheet} read`)] };
    if (String(request.messages.at(-1)?.content).includes('"ok":true')) return { text: "Saved." };
    sheet++;
    return sheet > 20 ? { text: "All sheets are read." } : { toolCalls: [call("read_sheet", { sheet })] };
  });
  const memory = await openMemory({ store: "memory:" });
  const session = await memory.openSession("s");
  const events: string[] = [];
  const agent = new ToolLoopAgent({
    ...holdfast({
      session,
      model: modelAt(server.url),
      contextWindow: 6_000,
      onEvent: (event) => events.push(JSON.stringify(event).slice(0, 200)),
      tools: {
        read_sheet: tool({
          description: "Reads a sheet",
          inputSchema: z.object({ sheet: z.number() }),
          execute: async ({ sheet }) => `Sheet ${sheet}: ${filler(400, `cell${sheet}`)}`,
        }),
      },
    }),
    instructions: "You audit workbooks.",
    stopWhen: isStepCount(60),
  });
  const result = await agent.generate({ prompt: "Audit all sheets." });
  console.log(result.text, result.steps.length, server.requests.length);
  for (const e of events) console.log(e);
  for (const r of server.requests) { assertValidPrompt(r);}
  const own = server.requests.filter((r) => !isSummaryRequest(r) && r.tools?.some((t) => t.function.name === "read_sheet"));
  console.log(own.length, assertPrefixes(own));
  console.log(JSON.stringify(server.requests.at(-1)?.messages, null, 1).slice(0, 6000));
  await server.close();
});
