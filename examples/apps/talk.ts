import type { Session } from "holdfast";
import { handleToolCalls, openaiTools } from "holdfast/openai";
import OpenAI from "openai";
import type { ChosenModel } from "./model.ts";

/** Lets a model work on a task with the tools of a session, until it stops calling them. Returns its last words. */
export async function talk(session: Session, chosen: ChosenModel, task: string): Promise<string> {
  const client = new OpenAI({ baseURL: chosen.url, apiKey: process.env.OPENAI_API_KEY ?? "none" });
  const tools = await openaiTools(session);
  const conversation: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: "user", content: task }];
  for (;;) {
    const { system } = await session.context();
    const messages = [{ role: "system" as const, content: system }, ...conversation];
    const { choices } = await client.chat.completions.create({ model: chosen.name, messages, tools });
    const message = choices[0]?.message;
    if (!message?.tool_calls?.length) return message?.content ?? "";
    conversation.push(message, ...(await handleToolCalls(session, message)));
  }
}
