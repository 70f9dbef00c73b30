import type { Placement } from "../../context/placement.ts";
import type { OpencodeMessage, OpencodePart } from "./api.ts";

/**
 * Puts memory before the user's first message, where the provider caches it, and each later change before the message
 * it arrived with; or before the user's last message. The messages are the host's copies for one call; it stores none of
 * this.
 */
export function placeText(
  messages: readonly OpencodeMessage[],
  { head = "", news }: { head: string | undefined; news: ReadonlyMap<string, string> },
  placement: Placement,
): void {
  const userMessages = messages.filter(({ info }) => info.role === "user");
  for (const message of userMessages) {
    const text = news.get(message.info.id) ?? "";
    if (text !== "") message.parts.unshift(textPart(message, "news", text));
  }
  const place = placement === "message" ? userMessages.at(-1) : userMessages[0];
  if (place && head !== "" && placement !== "system") place.parts.unshift(textPart(place, "memory", head));
}

/** Adds a message of the user's role after all others, for this call only. */
export function addUserText(messages: OpencodeMessage[], text: string): void {
  const last = messages.findLast(({ info }) => info.role === "user");
  if (!last) return;
  const message = { info: { ...last.info, id: `${last.info.id}_holdfast` }, parts: [] };
  messages.push({ ...message, parts: [textPart(message, "warning", text)] });
}

function textPart({ info }: OpencodeMessage, name: string, text: string): OpencodePart {
  const { id: messageID, sessionID } = info;
  return { id: `prt_holdfast_${name}`, messageID, sessionID, type: "text", text, synthetic: true };
}
