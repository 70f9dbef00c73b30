import { type StoredMessage, toolResultsOf } from "../context/conversation.ts";
import type { MemoryPiece } from "./memory-model.ts";
import type { ConversationPart } from "./prompt-layout.ts";

/** A stretch of a prompt that is unchanged from the previous call as a whole, or not at all. */
export interface Segment {
  key: string;
  tokens: number;
  /** Index of its message. */
  message?: number;
}

export type BuildPrompt = (
  part: ConversationPart,
  memory: readonly MemoryPiece[],
  /** Tokens of each stub, by the cleared result's number. */
  stubs: ReadonlyMap<string, number>,
) => Segment[];

/** Builds the prompts of consecutive calls. */
export function createPromptBuilder(messages: readonly StoredMessage[], system: number): BuildPrompt {
  // Each result of a transcript is a separate message.
  const keys = messages.map((message) => toolResultsOf(message)[0]?.key ?? "");
  // Prompts share segments; separate copies for every prompt of a long session would exhaust memory.
  const shared: Segment[] = [];
  const segmentOf = (message: number, tokens: number, stub: number | undefined): Segment => {
    const size = stub === undefined ? tokens : Math.min(stub, tokens);
    const key = stub === undefined ? `${message}` : `${message} cleared`;
    const before = shared[message];
    if (before && before.key === key && before.tokens === size) return before;
    const segment = { key, tokens: size, message };
    shared[message] = segment;
    return segment;
  };
  return ({ from, summary, sizes }, memory, stubs) => {
    const placed = Map.groupBy(memory, ({ before }) => before);
    const piecesAt = (before: number | undefined) =>
      (placed.get(before) ?? []).map(({ version, tokens }): Segment => ({ key: version, tokens }));
    const prompt: Segment[] = [{ key: "system", tokens: system }, ...piecesAt(undefined)];
    if (summary > 0) prompt.push({ key: `summary before ${from}`, tokens: summary });
    for (const [offset, tokens] of sizes.entries()) {
      const message = from + offset;
      if (placed.has(message)) prompt.push(...piecesAt(message));
      prompt.push(segmentOf(message, tokens, stubs.size > 0 ? stubs.get(keys[message] ?? "") : undefined));
    }
    return prompt;
  };
}

/** Tokens at the start of a prompt that are the same as in the previous one. */
export function commonPrefix(before: readonly Segment[], now: readonly Segment[]): number {
  let tokens = 0;
  for (const [index, segment] of now.entries()) {
    const earlier = before[index];
    if (earlier?.key !== segment.key) break;
    tokens += Math.min(earlier.tokens, segment.tokens);
    if (Math.abs(earlier.tokens - segment.tokens) > 1e-6) break;
  }
  return tokens;
}

export function totalOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { tokens }) => sum + tokens, 0);
}
