import { query } from "@anthropic-ai/claude-agent-sdk";
import { openMemory } from "holdfast";
import { holdfastClaude } from "holdfast/claude-agent-sdk";

const memory = await openMemory({ store: "memory.db" });
const session = await memory.openSession("audit");
await session.notepad.append("- July is counted twice");

// Hooks, tools, and the permission to call them.
const options = await holdfastClaude({ session });

for await (const message of query({ prompt: "Why does Q3 not add up?", options })) {
  if (message.type === "result") console.log(message.result);
}

await memory.close();
