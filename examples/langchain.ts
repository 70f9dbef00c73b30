import { AIMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { MemorySaver } from "@langchain/langgraph";
import { openMemory } from "holdfast";
import { holdfastMiddleware } from "holdfast/langchain";
import { createAgent } from "langchain";

// In place of your model: any chat model of LangChain.
const content = "- July is counted twice";
const model = fakeModel()
  .respondWithTools([{ name: "update_notepad", args: { operation: "append", content } }])
  .respond(new AIMessage("July is counted twice."));

const memory = await openMemory({ store: "memory.db" });
const agent = createAgent({
  model,
  checkpointer: new MemorySaver(),
  middleware: [holdfastMiddleware({ memory, contextWindow: 128_000 })],
});

// The thread is the session.
const thread = { configurable: { thread_id: "audit" } };
const { messages } = await agent.invoke({ messages: "Why does Q3 not add up?" }, thread);
console.log(messages.at(-1)?.text, await (await memory.openSession("audit")).notepad.read());

await memory.close();
