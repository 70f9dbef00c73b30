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
