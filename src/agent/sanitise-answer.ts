import type { FinishReason, ModelMessage } from "ai";
import { isObject } from "../engine/json.ts";
import { dotless } from "../surfaces/toolbox.ts";

/** A call as the model asked for it. */
export interface AskedCall {
  id: string;
  tool: string;
  input: unknown;
  /** Why it cannot be run. */
  problem?: string;
}

interface Answer {
  messages: ModelMessage[];
  toolCalls: AskedCall[];
  finish: FinishReason;
  /** The names of the tools that the model could call. */
  offered: readonly string[];
}

/**
 * An answer that can be sent back to any provider: calls have a name that was offered and an object as arguments. An
 * answer that a filter stopped makes no calls.
 */
export function sanitiseAnswer(answer: Answer): Pick<Answer, "messages" | "toolCalls"> {
  if (answer.finish === "content-filter")
    return { messages: answer.messages.map(withoutCalls), toolCalls: [] };
  const nameOf = (tool: string) => (answer.offered.includes(dotless(tool)) ? dotless(tool) : tool);
  return {
    messages: answer.messages.map((message) => withCleanCalls(message, nameOf)),
    toolCalls: answer.toolCalls.map((call) => {
      const tool = nameOf(call.tool);
      if (!isObject(call.input))
        return { id: call.id, tool, input: {}, problem: problemOf(call, answer.finish) };
      // The SDK knows only one of the two spellings.
      return tool === call.tool ? call : { id: call.id, tool, input: call.input };
    }),
  };
}

function problemOf({ input }: AskedCall, finish: FinishReason): string {
  if (finish === "length")
    return "the answer reached the output limit in the middle of this call. Call it again with less text, or in several calls.";
  const kind = input === null ? "null" : Array.isArray(input) ? "an array" : typeof input;
  const got = typeof input === "string" ? "text that is not a JSON object" : kind;
  return `its arguments must be a JSON object, but they were ${got}. Call it again with an object.`;
}

function withCleanCalls(message: ModelMessage, nameOf: (tool: string) => string): ModelMessage {
  if (message.role !== "assistant" || typeof message.content === "string") return message;
  const content = message.content.map((part) => {
    if (part.type !== "tool-call") return part;
    return { ...part, toolName: nameOf(part.toolName), input: isObject(part.input) ? part.input : {} };
  });
  return { ...message, content };
}

function withoutCalls(message: ModelMessage): ModelMessage {
  if (message.role !== "assistant" || typeof message.content === "string") return message;
  return { ...message, content: message.content.filter(({ type }) => type !== "tool-call") };
}
