import type { StoredMessage } from "../../context/conversation.ts";

/** The newest messages that stay, in tokens: a quarter of what the window can hold, within these limits. */
const share = 0.25;
const minTokens = 2_000;
const maxTokens = 15_000;

/**
 * The last message that the hosts of this family remove. They keep the newest messages, as many as fit. The conversation fills the window when
 * it is compacted, so its length is the window's. An answer stays with the results of its calls.
 */
export function lastRemovedByFamily(messages: readonly StoredMessage[]): number {
  const sizes = messages.map(({ message }) => JSON.stringify(message).length / 4);
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  const most = Math.min(maxTokens, Math.max(minTokens, whole * share));
  let first = messages.length;
  let kept = 0;
  while (first > 0 && kept + (sizes[first - 1] ?? 0) <= most) kept += sizes[--first] ?? 0;
  while (messages[first]?.message.role === "tool") first++;
  // If all of it fits, the host summarises all.
  return first === 0 ? messages.length : first;
}
