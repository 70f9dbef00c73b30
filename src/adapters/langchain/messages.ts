import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import type { ModelMessage } from "ai";
import { answerOf, type Call, Originals, partsOf, resultOf, textOfBlocks } from "../caller/messages.ts";

/** Converts a conversation of LangChain to model messages, and a prompt back. */
export class LangChainMessages {
  readonly #originals = new Originals<BaseMessage>();

  toModel(messages: readonly BaseMessage[]): ModelMessage[] {
    const names = new Map<string, string>();
    return messages.map((message) => {
      for (const { id, name } of callsOf(message)) names.set(id, name);
      return this.#originals.toModel(message, (each) => toModelMessage(each, names));
    });
  }

  fromModel(prompt: readonly ModelMessage[]): BaseMessage[] {
    return this.#originals.fromModel(prompt, fromModelMessage);
  }
}

/** `names` are the tools of the calls so far: a result need not name its tool. */
export function toModelMessage(
  message: BaseMessage,
  names: ReadonlyMap<string, string> = new Map(),
): ModelMessage {
  const text = textOfBlocks(message.content);
  if (AIMessage.isInstance(message)) return answerOf(text, callsOf(message));
  if (ToolMessage.isInstance(message)) {
    const { tool_call_id: id, status, name = names.get(id) ?? "tool" } = message;
    return resultOf({ id, name, text, isError: status === "error" });
  }
  return { role: SystemMessage.isInstance(message) ? "system" : "user", content: text };
}

export function fromModelMessage(message: ModelMessage): BaseMessage[] {
  const { role, text, calls, results } = partsOf(message);
  if (role === "system") return [new SystemMessage(text)];
  if (role === "user") return [new HumanMessage(text)];
  if (role === "assistant") return [new AIMessage({ content: text, tool_calls: calls.map(toLangChain) })];
  return results.map(
    ({ id, name, text: content, isError }) =>
      new ToolMessage({ content, name, tool_call_id: id, status: isError ? "error" : "success" }),
  );
}

function toLangChain({ id, name, input }: Call) {
  return { id, name, args: input as Record<string, unknown> };
}

export function callsOf(message: BaseMessage): Call[] {
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  return calls.map(({ id, name, args }) => ({ id: id ?? name, name, input: args }));
}
