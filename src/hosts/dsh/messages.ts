import type { ModelMessage } from "ai";
import type { StoredMessage } from "../../context/conversation.ts";
import type { DshBlock, DshMessage } from "./api.ts";

/** A message of ours, for the model. */
export function ownMessage(text: string): DshMessage {
  return Object.freeze({
    id: crypto.randomUUID(),
    role: "user",
    content: Object.freeze([Object.freeze({ type: "text", text })]) as DshBlock[],
    source: Object.freeze({ kind: "plugin", plugin: "holdfast" }),
  });
}

/** The conversation in our form, without what plug-ins have added to it. */
export function storedMessages(messages: readonly DshMessage[], first = 1): StoredMessage[] {
  return messages
    .flatMap((message) => toModelMessage(message) ?? [])
    .map((message, index) => ({ number: first + index, message, at: 0 }));
}

/** The summary of an earlier compaction in these messages, without the tags around it; "" if there is none. */
export function earlierSummary(messages: readonly DshMessage[]): string {
  const summary = messages.find(isSummary);
  return summary ? textOf(summary.content.slice(1, -1)) : "";
}

function isSummary({ source }: DshMessage): boolean {
  return source.kind === "plugin" && source.plugin === "compact";
}

function toModelMessage({ role, content, source }: DshMessage): ModelMessage | undefined {
  if (source.kind === "plugin" || role === "system") return undefined;
  const results = content.filter(({ type }) => type === "tool-result");
  if (results.length > 0)
    return {
      role: "tool",
      content: results.map(({ toolCallId = "", content: output = [], isError = false }) => ({
        type: "tool-result",
        toolCallId,
        toolName: "tool",
        output: { type: isError ? "error-text" : "text", value: textOf(output) },
      })),
    };
  if (role === "user") return { role, content: textOf(content) };
  return { role, content: content.flatMap(toAssistantPart) };
}

type AssistantPart = Exclude<Extract<ModelMessage, { role: "assistant" }>["content"], string>[number];

function toAssistantPart(block: DshBlock): AssistantPart[] {
  const { type, text = "", id = "", name = "" } = block;
  if (type === "text" || type === "reasoning") return [{ type, text }];
  if (type !== "tool-call") return [];
  return [{ type, toolCallId: id, toolName: name, input: inputOf(block.arguments ?? "") }];
}

/** A model may have written something that is not JSON. */
function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function textOf(blocks: readonly DshBlock[]): string {
  return blocks
    .map(({ type, text = "" }) => (type === "image" ? "[image]" : text))
    .filter((text) => text !== "")
    .join("\n");
}
