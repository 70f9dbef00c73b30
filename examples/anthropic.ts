import Anthropic from "@anthropic-ai/sdk";
import { openMemory } from "holdfast";
import { anthropicTools, handleToolUse } from "holdfast/anthropic";

// In place of the API: the model first writes to its notepad, then answers.
const input = { operation: "append", content: "- July is counted twice" };
const answers = [
  { content: [{ type: "tool_use", id: "toolu_1", name: "update_notepad", input }], stop_reason: "tool_use" },
  { content: [{ type: "text", text: "July is counted twice." }], stop_reason: "end_turn" },
];
const client = new Anthropic({ apiKey: "none", fetch: async () => Response.json(answers.shift()) });

const memory = await openMemory({ store: "memory.db" });
const session = await memory.openSession("audit");
const tools = await anthropicTools(session);

const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Why is Q3 off?" }];
for (;;) {
  // Pass the current memory with each call. Do not store it in the conversation.
  const { system } = await session.context();
  const answer = await client.messages.create({
    model: "a-model",
    max_tokens: 1_000,
    system,
    messages,
    tools,
  });
  messages.push({ role: "assistant", content: answer.content });
  if (answer.stop_reason !== "tool_use") break;
  messages.push({ role: "user", content: await handleToolUse(session, answer) });
}
console.log(await session.notepad.read()); // "- July is counted twice"

await memory.close();
