import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@mastra/core/agent";
import { LibSQLStore } from "@mastra/libsql";
import { Memory } from "@mastra/memory";
import { openMemory } from "holdfast";
import { holdfastMastra } from "holdfast/mastra";
import { startScriptedServer } from "holdfast/testing";

// In place of your model: use any AI SDK provider.
const input = { operation: "append", content: "- July is counted twice" };
const server = await startScriptedServer(({ messages }, call) => {
  if (call === 0) return { toolCalls: [{ name: "update_notepad", input }] };
  const isKnown = messages.some(({ content }) => String(content).includes("Why does Q3 not add up?"));
  return { text: isKnown ? "July is counted twice." : "Which quarter?" };
});
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
  // Mastra keeps the conversation. By default it passes on the last ten messages, and Holdfast can keep only what it sees.
  memory: new Memory({
    storage: new LibSQLStore({ id: "auditor", url: "file:mastra.db" }),
    options: { lastMessages: 10_000 },
  }),
});

// The same thread continues the conversation, in a later process too.
const thread = { memory: { thread: "audit", resource: "dana" } };
await agent.generate("Why does Q3 not add up?", thread);
const { text } = await agent.generate("Which month was it?", thread);
console.log(text, await session.notepad.read());

await memory.close();
await server.close();
