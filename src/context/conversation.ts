import type { ModelMessage } from "ai";
import type { Json } from "../engine/json.ts";

/** A stored message with its number in the session. */
export interface StoredMessage {
  number: number;
  message: ModelMessage;
  at: number;
  /** From a warning turn, so it does not answer the user. */
  inWarning?: boolean;
}

export interface ToolResult {
  /** Its own number, such as r14_1; see `partKey`. */
  key: string;
  /** The tool call's id, as the provider gave it; some servers give every call the same. */
  id: string;
  tool: string;
  /** Number of the message that contains it. */
  message: number;
  text: string;
  isError: boolean;
}

export interface ToolCall {
  id: string;
  tool: string;
  message: number;
  input: unknown;
}

export function toStored(number: number, value: Json): StoredMessage {
  const { message, at, inWarning } = value as unknown as Omit<StoredMessage, "number">;
  return { number, message, at, ...(inWarning ? { inWarning } : {}) };
}

export function fromStored(message: ModelMessage, at: number, inWarning = false): Json {
  // Stores reject NUL. A user gets the error; models and tools cannot react to it, so replace it.
  const plain = (_: string, value: unknown) =>
    typeof value === "string" && message.role !== "user" ? value.replaceAll("\u0000", "\ufffd") : value;
  return JSON.parse(JSON.stringify({ message, at, ...(inWarning ? { inWarning } : {}) }, plain)) as Json;
}

/** The idempotency key of a tool call, so that a call repeated after a crash has no second effect. */
export function callKey(message: number, id: string, index = 0): string {
  // Some models reuse one id for all calls, and some ids exceed the key limit.
  return `call-${message}-${index}-${id}`.slice(0, 255).toWellFormed();
}

/** Number of the message with the call of this key; undefined if it is not the key of a call. */
export function messageOfCall(key: string | null): number | undefined {
  const number = /^call-(\d+)-/.exec(key ?? "")?.[1];
  return number === undefined ? undefined : Number(number);
}

/** The whole content of a message as text. */
export function textOf(message: ModelMessage): string {
  if (typeof message.content === "string") return message.content;
  return message.content
    .map((part) => {
      if (part.type === "text" || part.type === "reasoning") return part.text;
      if (part.type === "tool-call") return `${part.toolName} ${JSON.stringify(part.input)}`;
      if (part.type === "tool-result") return resultText(part.output);
      return "";
    })
    .filter((text) => text !== "")
    .join("\n");
}

/** Like `textOf`, but without JSON escapes, to search for identifiers. */
export function plainTextOf(message: ModelMessage): string {
  if (typeof message.content === "string") return message.content;
  return message.content
    .map((part) => {
      if (part.type === "tool-call") return `${part.toolName}\n${textsIn(part.input).join("\n")}`;
      if (part.type === "tool-result") return textsIn(parsed(resultText(part.output))).join("\n");
      return part.type === "text" || part.type === "reasoning" ? part.text : "";
    })
    .join("\n");
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** All strings and numbers in a value, without field names. */
export function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  collectTexts(value, texts);
  return texts;
}

function collectTexts(value: unknown, texts: string[]): void {
  if (typeof value === "string") texts.push(value);
  else if (typeof value === "number") texts.push(String(value));
  else if (typeof value === "object" && value !== null)
    for (const inner of Object.values(value)) collectTexts(inner, texts);
}

/** Only the text parts: no tool calls, no results. */
export function spokenText(message: ModelMessage): string {
  const { content } = message;
  if (typeof content === "string") return content;
  let text: string | undefined;
  // Planning a compaction asks this of every message; an iterator for each is slow in a process that has just started.
  for (let index = 0; index < content.length; index++) {
    const part = content[index];
    if (part?.type === "text") text = text === undefined ? part.text : `${text}\n${part.text}`;
  }
  return text ?? "";
}

/** Whether the assistant ended its turn: a message, even an empty one, without a tool call. */
export function isFinalAnswer({ message, inWarning }: StoredMessage): boolean {
  if (message.role !== "assistant" || inWarning) return false;
  return typeof message.content === "string" || message.content.every(({ type }) => type !== "tool-call");
}

export function resultText(output: unknown): string {
  const { value } = (output ?? {}) as { value?: unknown };
  return typeof value === "string" ? value : JSON.stringify(value ?? output ?? "");
}

/** Identifies one part of a message: message 14's first part is r14_1. */
export function partKey(message: number, index: number): string {
  return `r${message}_${index + 1}`;
}

/** The message that a part belongs to; undefined if this is not the key of a part. */
export function messageOfPart(key: string): number | undefined {
  const number = /^r(\d{1,12})_\d{1,6}$/.exec(key)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** Stored messages never change, and each turn reads their parts again. */
const knownResults = new WeakMap<StoredMessage, readonly ToolResult[]>();
const knownCalls = new WeakMap<StoredMessage, readonly ToolCall[]>();

const noCalls: readonly ToolCall[] = [];
const noResults: readonly ToolResult[] = [];

export function toolCallsOf(stored: StoredMessage): readonly ToolCall[] {
  if (stored.message.role !== "assistant") return noCalls;
  const known = knownCalls.get(stored);
  if (known) return known;
  const calls = readCalls(stored);
  knownCalls.set(stored, calls);
  return calls;
}

function readCalls({ number, message }: StoredMessage): readonly ToolCall[] {
  if (message.role !== "assistant" || typeof message.content === "string") return noCalls;
  const calls: ToolCall[] = [];
  for (const part of message.content)
    if (part.type === "tool-call")
      calls.push({ id: part.toolCallId, tool: part.toolName, message: number, input: part.input });
  return calls;
}

export function toolResultsOf(stored: StoredMessage): readonly ToolResult[] {
  if (stored.message.role !== "tool") return noResults;
  const known = knownResults.get(stored);
  if (known) return known;
  const results = readResults(stored);
  knownResults.set(stored, results);
  return results;
}

function readResults({ number, message }: StoredMessage): ToolResult[] {
  if (message.role !== "tool") return [];
  return message.content.flatMap((part, index) =>
    part.type === "tool-result"
      ? [
          {
            key: partKey(number, index),
            id: part.toolCallId,
            tool: part.toolName,
            message: number,
            text: resultText(part.output),
            isError: part.output.type.startsWith("error"),
          },
        ]
      : [],
  );
}

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
