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

/** Appends guidance and blocks to the caller's instructions, joined into one system message if possible. */
export function withMemory(instructions: PromptMessage[], memory: string): PromptMessage[] {
  if (memory === "") return instructions;
  const last = instructions.at(-1);
  // Keep a message with provider options (e.g. a cache marker) unchanged.
  if (last?.role !== "system" || last.providerOptions)
    return [...instructions, { role: "system", content: memory }];
  return [...instructions.slice(0, -1), { role: "system", content: `${last.content}\n\n${memory}` }];
}
