import { openMemory } from "holdfast";
import { handleToolCalls, openaiTools } from "holdfast/openai";
import { startScriptedServer } from "holdfast/testing";
import OpenAI from "openai";

// In place of the API.
const server = await startScriptedServer((_, call) =>
  call === 0
    ? { toolCalls: [{ name: "add_note", input: { content: "July twice", tags: ["q3"] } }] }
    : { text: "Noted." },
);
const client = new OpenAI({ baseURL: server.url, apiKey: "none" });

const memory = await openMemory({ store: "memory.db" });
const session = await memory.openSession("audit");
const tools = await openaiTools(session);

const conversation: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: "user", content: "Why is Q3 off?" }];
for (;;) {
  // Prepend the current memory to each call. Do not store it in the conversation.
  const { system } = await session.context();
  const messages = [{ role: "system" as const, content: system }, ...conversation];
  const { choices } = await client.chat.completions.create({ model: "a-model", messages, tools });
  const message = choices[0]?.message;
  if (!message) break;
  conversation.push(message, ...(await handleToolCalls(session, message)));
  if (!message.tool_calls) break;
}
console.log(conversation.at(-1), await session.notes.all());

await memory.close();
await server.close();
