import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { openMemory } from "holdfast";
import { createAgent } from "holdfast/agent";
import { startScriptedServer } from "holdfast/testing";

// In place of your model server: Ollama, LM Studio, vLLM or any AI SDK provider.
const server = await startScriptedServer(() => ({ text: "Q3 is off because July is counted twice." }));
const model = createOpenAICompatible({ name: "local", baseURL: server.url, includeUsage: true })("a-model");

const memory = await openMemory({ store: "memory.db" });
const agent = createAgent({ memory, model, contextWindow: 32_000, system: "You audit workbooks." });

const turn = agent.send("audit", "Why does Q3 not add up?");
for await (const event of turn) if (event.type === "text") console.log(event.text);
console.log((await turn.result).text, await agent.usage("audit"));

await memory.close();
await server.close();
