import type { KeptMessages } from "../../compaction/kept-messages.ts";
import { plainTextOf, type StoredMessage } from "../../context/conversation.ts";

/** pi's own default, and its own estimate: four characters are a token. */
const keptTokens = 20_000;

/** What pi keeps: the newest messages until they have this many tokens, from an answer or a prompt on. */
export function keptByPi(messages: readonly StoredMessage[]): KeptMessages {
  let first = messages.length;
  for (let tokens = 0; first > 0 && tokens < keptTokens; first--) {
    const message = messages[first - 1]?.message;
    tokens += message ? plainTextOf(message).length / 4 : 0;
  }
  // A result stays only with its call.
  while (messages[first]?.message.role === "tool") first++;
  // If all of it fits, a manual compaction summarises all.
  return { to: first === 0 ? messages.length : first };
}
