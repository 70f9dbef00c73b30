import type { ModelMessage } from "ai";
import { isObject } from "../../engine/json.ts";
import { answerOf, type Call, resultOf, textOfBlocks } from "../caller/messages.ts";

/** A message of the Messages API, as a request contains it. */
export interface AnthropicMessage {
  role: "user" | "assistant" | "system";
  content?: string | readonly object[] | undefined;
}

/** The fields of content blocks that we read. */
interface Block {
  type: string;
  text?: unknown;
  id?: string;
  name?: string;
  input?: unknown;
  tool_use_id?: string;
  content?: unknown;
  is_error?: boolean;
}

/** The compaction in a message's content: the API ignores everything before it. */
export function compactedBlock(content: AnthropicMessage["content"]): Block | undefined {
  return blocksOf(content).findLast(({ type }) => type === "compaction");
}

/** The messages that the model still sees: from the newest compaction on. */
export function sinceCompaction(messages: readonly AnthropicMessage[]): AnthropicMessage[] {
  const start = messages.findLastIndex(({ content }) => typeof compactedBlock(content)?.content === "string");
  const rest = messages.slice(Math.max(0, start));
  const [first] = rest;
  if (start < 0 || !first) return rest;
  const blocks = blocksOf(first.content);
  const kept = blocks.slice(blocks.findLastIndex(({ type }) => type === "compaction") + 1);
  return [...(kept.length === 0 ? [] : [{ ...first, content: kept }]), ...rest.slice(1)];
}

export function toModelMessages(messages: readonly AnthropicMessage[]): ModelMessage[] {
  const names = new Map<string, string>();
  return messages.flatMap(({ role, content }): ModelMessage[] => {
    const blocks = blocksOf(content);
    const calls = blocks.flatMap(({ type, id = "", name = "", input }): Call[] =>
      type === "tool_use" ? [{ id, name, input }] : [],
    );
    for (const { id, name } of calls) names.set(id, name);
    const text = textOfBlocks(blocks);
    if (role === "assistant") return [answerOf(text, calls)];
    const results = blocks.flatMap(
      ({ type, tool_use_id: id = "", content: output, is_error: isError = false }) =>
        type === "tool_result"
          ? [resultOf({ id, name: names.get(id) ?? "tool", text: textOfBlocks(blocksOf(output)), isError })]
          : [],
    );
    return [...results, ...(text === "" ? [] : [{ role, content: text }])];
  });
}

function blocksOf(content: unknown): Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter((block): block is Block => isObject(block)) : [];
}
