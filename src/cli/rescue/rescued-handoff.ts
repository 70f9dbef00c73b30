import { planHandoff } from "../../compaction/handoff.ts";
import { handoffTokens } from "../../compaction/room.ts";
import type { StoredMessage } from "../../context/conversation.ts";
import { estimateTokens } from "../../context/estimate-tokens.ts";
import type { Handoff } from "../../engine/records.ts";

/** The messages between two compactions. */
export interface Span {
  messages: readonly StoredMessage["message"][];
}

/**
 * The handoff of a conversation before its last compaction, as Holdfast would have written it then; without a compaction, as
 * of now. "" if nothing was said or done.
 */
export function rescuedHandoff(spans: readonly Span[]): string {
  const before = spans.length > 1 ? spans.slice(0, -1) : spans;
  let handoff: Handoff | undefined;
  for (const [index, { messages: span }] of before.entries()) {
    const messages = span.map((message, at) => ({ number: at + 1, message, at: 0 }));
    handoff = planHandoff({
      epoch: index + 1,
      messages,
      to: messages.length,
      earlier: handoff,
      tasks: [],
      room: { tokens: handoffTokens() },
      countTokens: estimateTokens,
    });
  }
  return handoff?.text ?? "";
}
