import type { OpencodeMessage, OpencodePart } from "./api.ts";

/**
 * Puts memory before the first words of the user, where the provider's cache holds it, and each piece of news before
 * the words that it came with. The messages are opencode's copies for one call; nothing of this is stored.
 */
export function placeText(
  messages: readonly OpencodeMessage[],
  head: string,
  news: ReadonlyMap<string, string>,
): void {
  const said = messages.filter(({ info }) => info.role === "user");
  for (const message of said) {
    const text = news.get(message.info.id) ?? "";
    if (text !== "") message.parts.unshift(textPart(message, "news", text));
  }
  const [first] = said;
  if (first && head !== "") first.parts.unshift(textPart(first, "memory", head));
}

function textPart({ info }: OpencodeMessage, name: string, text: string): OpencodePart {
  const { id: messageID, sessionID } = info;
  return { id: `prt_holdfast_${name}`, messageID, sessionID, type: "text", text, synthetic: true };
}
