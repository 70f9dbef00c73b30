import Anthropic from "@anthropic-ai/sdk";
import { openMemory } from "holdfast";
import { anthropicMemory } from "holdfast/anthropic";

// In place of the API: it compacts the conversation, pauses, and answers when it is asked to go on.
const compaction = { type: "compaction", content: "The user asked why Q3 is off.", encrypted_content: null };
const answers = [
  streamOf({ ...compaction, content: null }, { ...compaction, type: "compaction_delta" }, "compaction"),
  streamOf({ type: "text", text: "" }, { type: "text_delta", text: "July is counted twice." }, "end_turn"),
];
const client = new Anthropic({ apiKey: "none", fetch: async () => new Response(answers.shift()) });

const memory = await openMemory({ store: "memory.db" });
const session = await memory.openSession("audit");
type Params = Anthropic.Beta.MessageCreateParamsNonStreaming;
const { stream } = anthropicMemory({
  session,
  stream: (params: Params) => client.beta.messages.stream(params),
  compactAt: 100_000,
});

const messages: Anthropic.Beta.BetaMessageParam[] = [{ role: "user", content: "Why is Q3 off?" }];
const events = stream({ model: "a-model", max_tokens: 1_000, messages });
for await (const event of events) {
  if (event.type === "content_block_delta" && event.delta.type === "text_delta")
    process.stdout.write(event.delta.text);
}
const answer = await events.finalMessage();
messages.push({ role: "assistant", content: answer.content });
const [receipt] = await session.receipts();
console.log(messages.at(-1), receipt?.line);

await memory.close();

/** The events of a message with one block. */
function streamOf(content_block: object, delta: object, stop_reason: string): string {
  const message = { type: "message", role: "assistant", content: [], usage: {} };
  const events = [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason }, usage: {} },
    { type: "message_stop" },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
