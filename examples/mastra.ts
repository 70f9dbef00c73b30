import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@mastra/core/agent";
import { openMemory } from "holdfast";
import { holdfastMastra } from "holdfast/mastra";
import { startScriptedServer } from "holdfast/testing";

// In place of your model: use any AI SDK provider.
const input = { operation: "append", content: "- July is counted twice" };
const server = await startScriptedServer((_, call) =>
  call === 0 ? { toolCalls: [{ name: "update_notepad", input }] } : { text: "July is counted twice." },
);
const model = createOpenAICompatible({ name: "local", baseURL: server.url, includeUsage: true })("a-model");

const memory = await openMemory({ store: "memory.db" });
const session = await memory.openSession("audit");
const { processor, tools } = holdfastMastra({ session, model, contextWindow: 32_000 });
const agent = new Agent({
  id: "auditor",
  name: "Auditor",
  instructions: "You audit workbooks.",
  model,
  tools,
  inputProcessors: [processor],
});

const { text } = await agent.generate("Why does Q3 not add up?");
console.log(text, await session.notepad.read());

await memory.close();
await server.close();
