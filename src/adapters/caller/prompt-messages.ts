import type { LanguageModelMiddleware, ModelMessage } from "ai";

/** What the AI SDK passes to a model. */
export type CallOptions = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"];
export type PromptMessage = CallOptions["prompt"][number];

/** Splits a prompt into the caller's instructions, as messages and as one text, and the conversation. */
export function divide(prompt: PromptMessage[]) {
  const start = prompt.findIndex(({ role }) => role !== "system");
  const end = start === -1 ? prompt.length : start;
  const instructions = prompt.slice(0, end);
  const base = instructions.map(({ content }) => content).join("\n\n");
  return { instructions, base, conversation: prompt.slice(end) };
}

/** Prompt messages have the same parts as model messages, except that user content is always a list. */
export function toModelMessage(message: PromptMessage): ModelMessage {
  const [only, ...others] = message.role === "user" ? message.content : [];
  if (message.role === "user" && only?.type === "text" && others.length === 0 && !only.providerOptions) {
    return { ...message, content: only.text };
  }
  return message as ModelMessage;
}
