import type { ModelMessage } from "ai";
import { plainTextOf, type StoredMessage } from "../../context/conversation.ts";
import { objectsIn, textIn } from "../../engine/json.ts";
import { timeIn } from "./json-files.ts";

type Fields = Record<string, unknown>;

/** The content of one line of a transcript: messages, or the summary of a compaction at this point. */
export type TranscriptLine = { messages: ModelMessage[] } | { summary: string } | undefined;

export type AssistantPart = Exclude<Extract<ModelMessage, { role: "assistant" }>["content"], string>[number];

/** A text as a message; none if the text is blank. */
export function textMessages(role: "user" | "assistant", text: string): ModelMessage[] {
  if (text.trim() === "") return [];
  return role === "user" ? [{ role, content: text }] : [{ role, content: [{ type: "text", text }] }];
}

/** An answer of the model with a text, which may be blank, and calls; none if it has neither. */
export function answerMessages(text: string, calls: readonly AssistantPart[]): ModelMessage[] {
  if (text.trim() === "" && calls.length === 0) return [];
  const content = [...(text.trim() === "" ? [] : [{ type: "text" as const, text }]), ...calls];
  return [{ role: "assistant", content }];
}

export function toolCallPart(toolCallId: string, toolName: string, input: unknown): AssistantPart {
  return { type: "tool-call", toolCallId, toolName, input };
}

export function toolResultMessage(
  toolCallId: string,
  toolName: string,
  value: string,
  isError: boolean,
): ModelMessage {
  const output = { type: isError ? ("error-text" as const) : ("text" as const), value };
  return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
}

/** The text of a message's content: a string, or a list of parts. */
export function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsIn(content)
    .map(({ type, text }) => (type === "image" ? "[image]" : textIn(text)))
    .join("\n");
}

/** A message as pi and OpenClaw store it; undefined if the model never sees it. */
export function toModelMessage(message: Fields): ModelMessage | undefined {
  switch (message.role) {
    case "user":
    case "custom":
    case "hookMessage":
      return { role: "user", content: plainText(message.content) };
    case "bashExecution":
      return { role: "user", content: `$ ${textIn(message.command)}\n${textIn(message.output)}` };
    case "assistant":
      return { role: "assistant", content: objectsIn(message.content).flatMap(toAssistantPart) };
    case "toolResult": {
      const { toolCallId, toolName, content, isError } = message;
      return toolResultMessage(textIn(toolCallId), textIn(toolName), plainText(content), isError === true);
    }
    default:
      return undefined;
  }
}

function toAssistantPart(block: Fields): AssistantPart[] {
  if (block.type === "text") return [{ type: "text", text: textIn(block.text) }];
  if (block.type === "thinking") return [{ type: "reasoning", text: textIn(block.thinking) }];
  if (block.type !== "toolCall") return [];
  return [toolCallPart(textIn(block.id), textIn(block.name), block.arguments ?? {})];
}

/** The text of the agent's last message in pi or OpenClaw; "" if there is none. */
export function lastAnswer(messages: readonly Fields[]): string {
  const last = messages.findLast(({ role }) => role === "assistant");
  const converted = last && toModelMessage(last);
  return converted ? plainTextOf(converted) : "";
}

/** Messages of pi and OpenClaw as a conversation, numbered from `first`. */
export function toStoredMessages(messages: readonly Fields[], first = 1): StoredMessage[] {
  return messages
    .flatMap((each) => {
      const message = toModelMessage(each);
      return message ? [{ message, at: timeIn(each.timestamp) }] : [];
    })
    .map((stored, index) => ({ number: first + index, ...stored }));
}
