import { plainTextOf, type StoredMessage, toolCallsOf } from "../../context/conversation.ts";

/** The share of the conversation, in characters, that Gemini CLI replaces with a summary. */
const compressed = 0.7;

/** Gemini CLI keeps the newest messages. */
export function lastRemovedByGemini(messages: readonly StoredMessage[]): number {
  // Without a cut there is no compaction, so the host must have cut elsewhere.
  return lastRemoved(messages) || messages.length;
}

/**
 * The last message that Gemini CLI removes: those before the first prompt of the user behind 70 % of the conversation. If
 * there is no such prompt, all up to the last prompt, or all if the model has finished its answer.
 */
export function lastRemoved(messages: readonly StoredMessage[]): number {
  const sizes = messages.map(({ message }) => plainTextOf(message).length);
  const target = sizes.reduce((sum, size) => sum + size, 0) * compressed;
  let [seen, lastPrompt] = [0, 0];
  for (const [index, { message }] of messages.entries()) {
    if (message.role === "user") {
      if (seen >= target) return messages[index - 1]?.number ?? 0;
      lastPrompt = index;
    }
    seen += sizes[index] ?? 0;
  }
  const last = messages.at(-1);
  const isAnswered = last?.message.role === "assistant" && toolCallsOf(last).length === 0;
  return isAnswered ? last.number : (messages[lastPrompt - 1]?.number ?? 0);
}
