import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { isStepCount, type ModelMessage, streamText, tool } from "ai";
import { openMemory } from "holdfast";
import { holdfast } from "holdfast/ai-sdk";
import { startScriptedServer } from "holdfast/testing";
import { z } from "zod";

const server = await startScriptedServer(() => ({ text: "Row 251." }));
const model = createOpenAICompatible({ name: "local", baseURL: server.url, includeUsage: true })("a-model");

const readSheet = tool({
  description: "Reads a sheet",
  inputSchema: z.object({ name: z.string() }),
  execute: async ({ name }) => `${name}: 500 rows`,
});

const memory = await openMemory({ store: "memory.db" });
const session = await memory.openSession("chat");
const settings = holdfast({
  session,
  model,
  contextWindow: 32_000,
  tools: { readSheet },
  onEvent: (event) => event.type === "receipt" && console.log(event.receipt.line),
});

// You keep the messages as before. Holdfast never adds memory to them.
const messages: ModelMessage[] = [];
for (const question of ["Where does July begin?", "And August?"]) {
  messages.push({ role: "user", content: question });
  const result = streamText({
    ...settings,
    instructions: "You audit workbooks.",
    messages,
    stopWhen: isStepCount(20),
  });
  for await (const piece of result.textStream) console.log(piece);
  messages.push(...(await result.responseMessages));
}

await memory.close();
await server.close();
