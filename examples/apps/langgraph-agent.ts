// A LangGraph agent that trims its messages. LangGraph keeps the graph's state. Holdfast keeps the notes and puts them
// before the model.
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { openMemory } from "holdfast";
import { handleToolCalls, openaiTools } from "holdfast/openai";
import OpenAI from "openai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { chooseModel, textOf } from "./model.ts";

const chosen = await chooseModel((request) => {
  const asked = JSON.stringify(request.messages.findLast(({ role }) => role === "user"));
  if (request.messages.at(-1)?.role === "tool") return { text: "Written down." };
  if (asked.includes("deploy key is in")) {
    const content = "- the deploy key is in vault/ci";
    return { toolCalls: [{ name: "update_notepad", input: { operation: "append", content } }] };
  }
  if (!asked.includes("deploy key")) return { text: "All right." };
  const [, place] = /deploy key is in (\S+)/.exec(textOf(request)) ?? [];
  return { text: place ? `In ${place}.` : "I no longer know." };
});
const client = new OpenAI({ baseURL: chosen.url, apiKey: process.env.OPENAI_API_KEY ?? "none" });
const memory = await openMemory({ store: "graph.db", surfaces: ["notepad"] });
const session = await memory.openSession("deploys");
const tools = await openaiTools(session);

const State = Annotation.Root({
  messages: Annotation<ChatCompletionMessageParam[]>({
    // Only the three newest messages stay.
    reducer: (old, added) => [...old, ...added].slice(-3),
    default: () => [],
  }),
});

const graph = new StateGraph(State)
  .addNode("model", async ({ messages }) => {
    const { system } = await session.context();
    const completion = await client.chat.completions.create({
      model: chosen.name,
      messages: [{ role: "system", content: system }, ...messages],
      tools,
    });
    const answer = completion.choices[0]?.message;
    return { messages: answer ? [answer] : [] };
  })
  .addNode("tools", async ({ messages }) => {
    const last = messages.at(-1);
    return { messages: last?.role === "assistant" ? await handleToolCalls(session, last) : [] };
  })
  .addEdge(START, "model")
  .addConditionalEdges("model", ({ messages }) => {
    const last = messages.at(-1);
    return last?.role === "assistant" && last.tool_calls?.length ? "tools" : END;
  })
  .addEdge("tools", "model")
  .compile();

let messages: ChatCompletionMessageParam[] = [];
for (const content of [
  "The deploy key is in vault/ci. Remember it.",
  "Thanks.",
  "And the weather?",
  "Where is the deploy key?",
]) {
  ({ messages } = await graph.invoke({ messages: [...messages, { role: "user", content }] }));
  const answer = messages.at(-1);
  console.log(`${content}\n  → ${typeof answer?.content === "string" ? answer.content : ""}`);
}
await memory.close();
await chosen.close();
