import type { KeptMessages } from "../../compaction/kept-messages.ts";
import { type StoredMessage, spokenText } from "../../context/conversation.ts";

/** Tokens of the user's messages that stay. */
const maxTokens = 20_000;

/** Codex keeps what the user said, newest first, as far as it fits; of the rest only its summary stays. */
export function keptByCodex(messages: readonly StoredMessage[]): KeptMessages {
  const among = new Set<number>();
  let left = maxTokens;
  for (const { number, message } of messages.toReversed()) {
    if (message.role !== "user") continue;
    left -= spokenText(message).length / 4;
    // The message that does not fit is cut.
    if (left < 0) break;
    among.add(number);
  }
  return { to: messages.length, among };
}
