import type { ModelMessage } from "ai";
import type { Json } from "../engine/json.ts";

/** A stored message with its place in the session. */
export interface StoredMessage {
  number: number;
  message: ModelMessage;
  at: number;
  /** Said in a warning turn: no answer to what the user asked. */
  aside?: boolean;
}

export interface ToolResult {
  /** The tool call's id. */
  id: string;
  tool: string;
  /** The message that holds it. */
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
  const { message, at, aside } = value as unknown as Omit<StoredMessage, "number">;
  return { number, message, at, ...(aside ? { aside } : {}) };
}

export function fromStored(message: ModelMessage, at: number, aside = false): Json {
  // No store takes NUL. A user is told so; a model and a tool cannot be.
  const plain = (_: string, value: unknown) =>
    typeof value === "string" && message.role !== "user" ? value.replaceAll("\u0000", "\ufffd") : value;
  return JSON.parse(JSON.stringify({ message, at, ...(aside ? { aside } : {}) }, plain)) as Json;
}

/** The idempotency key of a tool call, so that a call that is answered again after a crash does nothing twice. */
export function callKey(message: number, id: string, index = 0): string {
  // Some models give all their calls one id, and some ids are longer than a key may be.
  return `call-${message}-${index}-${id}`.slice(0, 255).toWellFormed();
}

/** The message that holds the call of this key; undefined for any other key. */
export function messageOfCall(key: string | null): number | undefined {
  const number = /^call-(\d+)-/.exec(key ?? "")?.[1];
  return number === undefined ? undefined : Number(number);
}

/** Everything a message says, as one text. */
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

/** Everything in a message that identifiers can be looked for in: as textOf, but without JSON's escapes. */
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

/** Every text in a value, names of fields left out. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Only what was said in words: no tool calls, no results. */
export function spokenText(message: ModelMessage): string {
  if (typeof message.content === "string") return message.content;
  return message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** Whether the assistant had its last word: it said something, or nothing at all, and called no tool. */
export function isFinalAnswer({ message, aside }: StoredMessage): boolean {
  if (message.role !== "assistant" || aside) return false;
  return typeof message.content === "string" || message.content.every(({ type }) => type !== "tool-call");
}

export function resultText(output: unknown): string {
  const { value } = (output ?? {}) as { value?: unknown };
  return typeof value === "string" ? value : JSON.stringify(value ?? output ?? "");
}

export function toolCallsOf({ number, message }: StoredMessage): ToolCall[] {
  if (message.role !== "assistant" || typeof message.content === "string") return [];
  return message.content.flatMap((part) =>
    part.type === "tool-call"
      ? [{ id: part.toolCallId, tool: part.toolName, message: number, input: part.input }]
      : [],
  );
}

export function toolResultsOf({ number, message }: StoredMessage): ToolResult[] {
  if (message.role !== "tool") return [];
  return message.content.flatMap((part) =>
    part.type === "tool-result"
      ? [
          {
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
