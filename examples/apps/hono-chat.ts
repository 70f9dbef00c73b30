// A chat with one memory per user, behind HTTP. With PORT, it keeps running. Without PORT, it talks to itself and ends.
import { serve } from "@hono/node-server";
import { openMemory } from "holdfast";
import { createAgent } from "holdfast/agent";
import { Hono } from "hono";
import { chooseModel, textOf } from "./model.ts";

const chosen = await chooseModel((request) => {
  if (request.messages.at(-1)?.role === "tool") return { text: "Noted." };
  const [, name] = /Name: (\w+)/.exec(textOf(request)) ?? [];
  if (/what is my name/i.test(JSON.stringify(request.messages.at(-1))))
    return { text: name ? `You are ${name}.` : "I do not know." };
  const content = "Name: Ada";
  return { toolCalls: [{ name: "update_notepad", input: { operation: "append", content } }] };
});

const memory = await openMemory({ store: "chat.db", surfaces: ["notepad", "notes"] });
const agent = createAgent({
  memory,
  model: chosen.model,
  contextWindow: 32_000,
  system: "You are a helpful assistant.",
});

const app = new Hono();
app.post("/chat/:user", async (context) => {
  const { text } = await context.req.json<{ text: string }>();
  // One session per user, so no user sees the notes of another.
  const answer = await agent.send(`chat.${context.req.param("user")}`, text).result;
  return context.json({ text: answer.text });
});

const port = Number(process.env.PORT ?? 0);
const server = serve({ fetch: app.fetch, port, hostname: "127.0.0.1" }, async ({ port: listening }) => {
  console.log(`http://127.0.0.1:${listening}/chat/ada`);
  if (process.env.PORT) return;
  const say = async (user: string, text: string) => {
    const response = await fetch(`http://127.0.0.1:${listening}/chat/${user}`, {
      method: "POST",
      body: JSON.stringify({ text }),
    });
    console.log(`${user}: ${text}\n  → ${((await response.json()) as { text: string }).text}`);
  };
  await say("ada", "My name is Ada. Remember it.");
  await say("ada", "What is my name?");
  await say("bob", "What is my name?");
  server.close();
  await memory.close();
  await chosen.close();
});
