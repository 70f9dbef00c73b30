import type { ModelMessage } from "ai";
import type { Prompt } from "./prompt.ts";

/**
 * Providers that read a system message anywhere in a conversation. Others refuse it, move it to the front, or leave it
 * to the chat template of a model, which may refuse it too. `provider` as in `cacheKindOf`.
 */
export function allowsSystemAnywhere(provider: string): boolean {
  return /^(?:openai|azure|azure-openai)(?:[./]|$)/i.test(provider);
}

/** The messages of a prompt with changes of the system prompt in the system role, where the provider allows it. */
export function withSystemRole(
  { messages, instructions }: Pick<Prompt, "messages" | "instructions">,
  provider: string,
): ModelMessage[] {
  if (instructions.length === 0 || !allowsSystemAnywhere(provider)) return messages;
  return messages.map((message, index) =>
    instructions.includes(index) && typeof message.content === "string"
      ? { role: "system", content: message.content }
      : message,
  );
}
