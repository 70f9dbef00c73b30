import { plainTextOf, type StoredMessage } from "../../context/conversation.ts";

/** pi's own default, and its own estimate: four characters are a token. */
const keptTokens = 20_000;

/** The last message that pi removes: it keeps the newest until they have this many tokens, from an answer or a prompt on. */
export function lastRemovedByPi(messages: readonly StoredMessage[]): number {
  let first = messages.length;
  for (let tokens = 0; first > 0 && tokens < keptTokens; first--) {
    const message = messages[first - 1]?.message;
    tokens += message ? plainTextOf(message).length / 4 : 0;
  }
  // A result stays only with its call.
  while (messages[first]?.message.role === "tool") first++;
  // If all of it fits, a manual compaction summarises all.
  return first === 0 ? messages.length : first;
}
