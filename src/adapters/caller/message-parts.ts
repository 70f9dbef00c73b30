import type { ModelMessage } from "ai";
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

/** Arguments that are not JSON are passed on as text; the tool's own validation says what it expects. */
export function parseArguments(given: string): unknown {
  try {
    return given.trim() === "" ? {} : JSON.parse(given);
  } catch {
    return given;
  }
}
