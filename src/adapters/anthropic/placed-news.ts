import { type AnthropicMessage, compactedBlock } from "./messages.ts";

/**
 * What someone else has changed, in the requests only: the caller's messages stay as they are. Each text keeps its place
 * in all later requests, so that what comes before the newest message stays in the provider's cache.
 */
export class PlacedNews {
  #texts: { at: number; text: string }[] = [];

  clear(): void {
    this.#texts = [];
  }

  add(at: number, text: string): void {
    if (text !== "") this.#texts.push({ at, text });
  }

  into(messages: readonly AnthropicMessage[]): readonly AnthropicMessage[] {
    if (this.#texts.length === 0) return messages;
    const newest = placeForNews(messages);
    // The caller may have shortened its list.
    const placeOf = (at: number) => (messages[at]?.role === "user" ? at : newest);
    return messages.map((message, index) => {
      const texts = this.#texts.filter(({ at }) => placeOf(at) === index);
      return texts.reduce((changed, { text }) => withText(changed, text), message);
    });
  }
}

/** The newest user message that the model sees, which is not one before a compaction; -1 if there is none. */
export function placeForNews(messages: readonly AnthropicMessage[]): number {
  const compacted = messages.findLastIndex(({ content }) => compactedBlock(content));
  const newest = messages.findLastIndex(({ role }) => role === "user");
  return newest > compacted ? newest : -1;
}

function withText(message: AnthropicMessage, text: string): AnthropicMessage {
  const { content = [] } = message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return { ...message, content: [...blocks, { type: "text", text }] };
}
