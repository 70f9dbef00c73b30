import type { ModelMessage } from "ai";
import { resultText, type StoredMessage, type ToolCall, toolCallsOf, toolResultsOf } from "./conversation.ts";

type ToolMessage = Extract<ModelMessage, { role: "tool" }>;

/**
 * Two processes in one session may add messages between a call and its result, or both answer the call. Providers
 * reject that, so such a call, and a result without an open call, become plain text.
 */
export function pairCalls(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  let open: string[] = [];
  const paired = messages.map((stored, index) => {
    const { message } = stored;
    if (message.role === "tool") return withMessage(stored, keepExpected(message, open));
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

/** The calls of a message whose results follow directly. */
function answeredAfter(messages: readonly StoredMessage[], index: number, calls: string[]): Set<string> {
  const answered = new Set<string>();
  for (let at = index + 1; answered.size < calls.length; at++) {
    const message = messages[at]?.message;
    const results = message?.role === "tool" ? message.content : [];
    const known = answered.size;
    for (const part of results)
      if (part.type === "tool-result" && calls.includes(part.toolCallId)) answered.add(part.toolCallId);
    // A result of another call comes between.
    if (answered.size === known) break;
  }
  return answered;
}

/** Keeps one result per open call; a message without any becomes plain text. */
function keepExpected(message: ToolMessage, open: string[]): ModelMessage {
  const expected = message.content.filter((part) => {
    if (part.type !== "tool-result") return true;
    const at = open.indexOf(part.toolCallId);
    if (at !== -1) open.splice(at, 1);
    return at !== -1;
  });
  if (expected.length === message.content.length) return message;
  return expected.length > 0
    ? { ...message, content: expected }
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

/** The call of each result, by the result's key: the call before it with the same id that has no result yet. */
export function callsOfResults(messages: readonly StoredMessage[]): ReadonlyMap<string, ToolCall> {
  const calls = new Map<string, ToolCall>();
  let open: ToolCall[] = [];
  let isAnswered = false;
  for (const stored of messages) {
    // Some transcripts store each of several parallel calls as a message.
    if (stored.message.role === "assistant") open = [...(isAnswered ? [] : open), ...toolCallsOf(stored)];
    isAnswered = stored.message.role === "tool";
    for (const { key, id } of toolResultsOf(stored)) {
      const at = open.findIndex((call) => call.id === id);
      if (at !== -1) calls.set(key, open.splice(at, 1)[0] as ToolCall);
    }
  }
  return calls;
}
