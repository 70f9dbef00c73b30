import type { StoredMessage } from "../context/conversation.ts";
import type { MemoryPiece } from "./memory-model.ts";
import type { ConversationPart } from "./prompt-layout.ts";

/** A stretch of a prompt that is either wholly the same as in the call before or not. */
export interface Segment {
  key: string;
  tokens: number;
  /** Index of the message it is. */
  message?: number;
}

export type BuildPrompt = (
  part: ConversationPart,
  memory: readonly MemoryPiece[],
  /** Tokens of the stubs, by the cleared result's id. */
  stubs: ReadonlyMap<string, number>,
) => Segment[];

/** Builds the prompts of consecutive calls. */
export function createPromptBuilder(messages: readonly StoredMessage[], system: number): BuildPrompt {
  const ids = messages.map(resultId);
  // Segments are shared between prompts: all prompts of a long session apart would fill the memory.
  const known: Segment[] = [];
  const segmentOf = (message: number, tokens: number, stub: number | undefined): Segment => {
    const size = stub === undefined ? tokens : Math.min(stub, tokens);
    const key = stub === undefined ? `${message}` : `${message} cleared`;
    const before = known[message];
    if (before && before.key === key && before.tokens === size) return before;
    const segment = { key, tokens: size, message };
    known[message] = segment;
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
      prompt.push(segmentOf(message, tokens, stubs.size > 0 ? stubs.get(ids[message] ?? "") : undefined));
    }
    return prompt;
  };
}

/** The tool call's id, or "" for what is no result. Each result of a transcript is a message of its own. */
function resultId({ message }: StoredMessage): string {
  if (message.role !== "tool") return "";
  const [part] = message.content;
  return part?.type === "tool-result" ? part.toolCallId : "";
}

/** Tokens at the start of a prompt that are the same as in the one before. */
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
