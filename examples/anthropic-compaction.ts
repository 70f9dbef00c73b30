import Anthropic from "@anthropic-ai/sdk";
import { openMemory } from "holdfast";
import { anthropicMemory, anthropicTools, handleToolUse } from "holdfast/anthropic";

// In place of the API: it compacts the conversation, pauses, and answers when it is asked to go on.
const compaction = { type: "compaction", content: "The user asked why Q3 is off.", encrypted_content: null };
const answers = [
  { content: [compaction], stop_reason: "compaction" },
  { content: [{ type: "text", text: "July is counted twice." }], stop_reason: "end_turn" },
];
const client = new Anthropic({ apiKey: "none", fetch: async () => Response.json(answers.shift()) });

const memory = await openMemory({ store: "memory.db" });
const session = await memory.openSession("audit");
type Params = Anthropic.Beta.MessageCreateParamsNonStreaming;
const { create } = anthropicMemory({
  session,
  create: (params: Params) => client.beta.messages.create(params),
  compactAt: 100_000,
});

const messages: Anthropic.Beta.BetaMessageParam[] = [{ role: "user", content: "Why is Q3 off?" }];
const tools = await anthropicTools(session);
for (;;) {
  const answer = await create({ model: "a-model", max_tokens: 1_000, messages, tools });
  messages.push({ role: "assistant", content: answer.content });
  if (answer.stop_reason !== "tool_use") break;
  messages.push({ role: "user", content: await handleToolUse(session, answer) });
}
const [receipt] = await session.receipts();
console.log(messages.at(-1), receipt?.line);

await memory.close();
