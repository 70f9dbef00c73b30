import type { LanguageModelMiddleware, ModelMessage } from "ai";
import { resultText, spokenText } from "../../context/conversation.ts";

/** A tool call, as every framework has it. */
export interface Call {
  id: string;
  name: string;
  input: unknown;
}

/** The result of a tool call, as text. */
export interface Result {
  id: string;
  name: string;
  text: string;
  isError: boolean;
}

/** The parts of a message that every framework has. */
export interface MessageParts {
  role: ModelMessage["role"];
  text: string;
  calls: Call[];
  results: Result[];
}

export function partsOf(message: ModelMessage): MessageParts {
  const parts = typeof message.content === "string" ? [] : message.content;
  return {
    role: message.role,
    text: spokenText(message),
    calls: parts.flatMap((part) =>
      part.type === "tool-call" ? [{ id: part.toolCallId, name: part.toolName, input: part.input }] : [],
    ),
    results: parts.flatMap((part) =>
      part.type === "tool-result"
        ? [
            {
              id: part.toolCallId,
              name: part.toolName,
              text: resultText(part.output),
              isError: part.output.type.startsWith("error"),
            },
          ]
        : [],
    ),
  };
}

export function answerOf(text: string, calls: readonly Call[]): ModelMessage {
  if (calls.length === 0) return { role: "assistant", content: text };
  return {
    role: "assistant",
    content: [
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...calls.map(({ id, name, input }) => ({
        type: "tool-call" as const,
        toolCallId: id,
        toolName: name,
        input,
      })),
    ],
  };
}

export function resultOf({ id, name, text, isError }: Result): ModelMessage {
  const output = { type: isError ? ("error-text" as const) : ("text" as const), value: text };
  return { role: "tool", content: [{ type: "tool-result", toolCallId: id, toolName: name, output }] };
}

/** The text of content that may be a list of blocks; a block without text is named, so that its place is known. */
export function textOfBlocks(content: string | readonly { type?: string; text?: unknown }[]): string {
  if (typeof content === "string") return content;
  return content
    .flatMap(({ type = "", text }) => {
      if (typeof text === "string") return [text];
      return ownParts.test(type) ? [] : [`[${type}]`];
    })
    .join("\n");
}

/** Blocks that a framework also keeps elsewhere, and reasoning, which no other model reads. */
const ownParts =
  /^(?:tool_use|tool_call|tool_result|compaction|function_call|thinking|redacted_thinking|reasoning)/;

/** Arguments that are not JSON are passed on as text; the tool's own validation names the expected input. */
export function parseArguments(given: string): unknown {
  try {
    return given.trim() === "" ? {} : JSON.parse(given);
  } catch {
    return given;
  }
}

/**
 * A framework's messages as model messages, and a prompt back as the framework's. A message is converted once, and one
 * that Holdfast only passes on goes out as the object that it came as.
 */
export class Originals<Message extends object> {
  readonly #originals = new WeakMap<ModelMessage, Message>();
  readonly #converted = new WeakMap<Message, ModelMessage>();

  toModel(message: Message, convert: (message: Message) => ModelMessage): ModelMessage {
    const known = this.#converted.get(message);
    if (known) return known;
    const converted = convert(message);
    this.#converted.set(message, converted);
    this.#originals.set(converted, message);
    return converted;
  }

  /** `convert` makes the messages that Holdfast wrote or changed. */
  fromModel(prompt: readonly ModelMessage[], convert: (message: ModelMessage) => Message[]): Message[] {
    return prompt.flatMap((message) => {
      const original = this.#originals.get(message);
      return original ? [original] : convert(message);
    });
  }
}

/** The input that the AI SDK passes to a model. */
export type CallOptions = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"];
export type PromptMessage = CallOptions["prompt"][number];

/** Splits a prompt into the caller's instructions, as messages and as one text, and the conversation. */
export function divide(prompt: PromptMessage[]) {
  const start = prompt.findIndex(({ role }) => role !== "system");
  const end = start === -1 ? prompt.length : start;
  const instructions = prompt.slice(0, end);
  const base = instructions.map(({ content }) => content).join("\n\n");
  return { instructions, base, conversation: prompt.slice(end) };
}

/** Prompt messages have the same parts as model messages, except that user content is always a list. */
export function toModelMessage(message: PromptMessage): ModelMessage {
  const [only, ...others] = message.role === "user" ? message.content : [];
  if (message.role === "user" && only?.type === "text" && others.length === 0 && !only.providerOptions) {
    return { ...message, content: only.text };
  }
  return message as ModelMessage;
}

/** Appends guidance and blocks to the caller's instructions, joined into one system message if possible. */
export function withMemory(instructions: PromptMessage[], memory: string): PromptMessage[] {
  if (memory === "") return instructions;
  const last = instructions.at(-1);
  // Keep a message with provider options (e.g. a cache marker) unchanged.
  if (last?.role !== "system" || last.providerOptions)
    return [...instructions, { role: "system", content: memory }];
  return [...instructions.slice(0, -1), { role: "system", content: `${last.content}\n\n${memory}` }];
}
