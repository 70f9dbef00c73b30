import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ToolLoopAgent } from "ai";
import { openMemory } from "holdfast";
import { holdfast } from "holdfast/ai-sdk";
import { startScriptedServer } from "holdfast/testing";

// In place of your model: use any AI SDK provider.
const input = { operation: "append", content: "- July is counted twice" };
const server = await startScriptedServer((_, call) =>
  call === 0 ? { toolCalls: [{ name: "update_notepad", input }] } : { text: "July is counted twice." },
);
const model = createOpenAICompatible({ name: "local", baseURL: server.url, includeUsage: true })("a-model");

const memory = await openMemory({ store: "memory.db" });
const session = await memory.openSession("audit");
const agent = new ToolLoopAgent({ ...holdfast({ session, model, contextWindow: 32_000 }) });

const { text } = await agent.generate({ prompt: "Why does Q3 not add up?" });
console.log(text, await session.notepad.read());

await memory.close();
await server.close();
