import type { ModelMessage } from "ai";
import { resultText, type StoredMessage } from "./conversation.ts";

type ToolMessage = Extract<ModelMessage, { role: "tool" }>;

/**
 * Two processes that talk in one session may say something between a call and its result, or both answer it, and no
 * provider takes that. Such a call, and a result that nobody waits for, are told in words instead.
 */
export function pairCalls(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  let open: string[] = [];
  const paired = messages.map((stored, index) => {
    const { message } = stored;
    if (message.role === "tool") return withMessage(stored, takeAnswers(message, open));
    open = callIds(message);
    if (open.length === 0) return stored;
    const answered = answeredAfter(messages, index, open);
    if (open.every((id) => answered.has(id))) return stored;
    open = [];
    return withMessage(stored, withoutCalls(message));
  });
  return paired.some((stored, index) => stored !== messages[index]) ? paired : messages;
}

function withMessage(stored: StoredMessage, message: ModelMessage): StoredMessage {
  return message === stored.message ? stored : { ...stored, message };
}

function callIds({ role, content }: ModelMessage): string[] {
  if (role !== "assistant" || typeof content === "string") return [];
  return content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []));
}

/** Those calls of a message that are answered right after it. */
function answeredAfter(messages: readonly StoredMessage[], index: number, calls: string[]): Set<string> {
  const answered = new Set<string>();
  for (let at = index + 1; answered.size < calls.length; at++) {
    const message = messages[at]?.message;
    const results = message?.role === "tool" ? message.content : [];
    const known = answered.size;
    for (const part of results)
      if (part.type === "tool-result" && calls.includes(part.toolCallId)) answered.add(part.toolCallId);
    // A result that nobody waits for stands in between.
    if (answered.size === known) break;
  }
  return answered;
}

/** What is waited for stays, each answer once; a message with nothing else is told in words. */
function takeAnswers(message: ToolMessage, open: string[]): ModelMessage {
  const awaited = message.content.filter((part) => {
    if (part.type !== "tool-result") return true;
    const at = open.indexOf(part.toolCallId);
    if (at !== -1) open.splice(at, 1);
    return at !== -1;
  });
  if (awaited.length === message.content.length) return message;
  return awaited.length > 0
    ? { ...message, content: awaited }
    : { role: "user", content: message.content.map(lateText).join("\n\n") };
}

function lateText(part: ToolMessage["content"][number]): string {
  return part.type === "tool-result" ? `[Late result of ${part.toolName}]\n${resultText(part.output)}` : "";
}

function withoutCalls(message: ModelMessage): ModelMessage {
  if (message.role !== "assistant" || typeof message.content === "string") return message;
  const content = message.content.map((part) =>
    part.type === "tool-call"
      ? { type: "text" as const, text: `[Called ${part.toolName} ${JSON.stringify(part.input)}]` }
      : part,
  );
  return { ...message, content };
}
