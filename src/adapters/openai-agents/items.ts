import type { AgentInputItem, AgentOutputItem } from "@openai/agents-core";
import type { ModelMessage } from "ai";
import {
  answerOf,
  type Call,
  Originals,
  parseArguments,
  partsOf,
  resultOf,
  textOfBlocks,
} from "../caller/messages.ts";

/** The items of one message: an answer consists of its reasoning, its text and its calls. */
type Group = AgentInputItem[];

/** Converts the items of a run to model messages, and a prompt back. */
export class AgentItems {
  readonly #originals = new Originals<Group>();

  toModel(input: string | readonly AgentInputItem[]): ModelMessage[] {
    const items = typeof input === "string" ? [userItem(input)] : input;
    return groupsOf(items).map((group) => this.#originals.toModel(group, toModelMessage));
  }

  fromModel(prompt: readonly ModelMessage[]): AgentInputItem[] {
    return this.#originals.fromModel(prompt, (message) => [fromModelMessage(message)]).flat();
  }
}

function groupsOf(items: readonly AgentInputItem[]): Group[] {
  const groups: Group[] = [];
  let isOpen = false;
  for (const item of items) {
    const isAnswer = isPartOfAnswer(item);
    if (isAnswer && isOpen) groups.at(-1)?.push(item);
    else groups.push([item]);
    isOpen = isAnswer;
  }
  return groups;
}

function isPartOfAnswer(item: AgentInputItem): boolean {
  if ("role" in item) return item.role === "assistant";
  return !String(item.type).endsWith("_result") && !String(item.type).endsWith("_output");
}

function toModelMessage(group: Group): ModelMessage {
  const [first] = group;
  if (first && isPartOfAnswer(first)) return answerMessage(group);
  if (first && "output" in first && "callId" in first) {
    const output = typeof first.output === "string" ? first.output : ([first.output].flat() as Blocks);
    return resultOf({ ...nameOf(first), text: textOfBlocks(output), isError: false });
  }
  return { role: "user", content: group.map(textOf).join("\n") };
}

/** The answer that a response consists of. */
export function answerMessage(output: readonly AgentOutputItem[]): ModelMessage {
  const calls = output.flatMap((item): Call[] => {
    if (!("callId" in item)) return [];
    const { arguments: given, action } = item as { arguments?: string; action?: unknown };
    return [{ ...nameOf(item), input: given === undefined ? action : parseArguments(given) }];
  });
  const texts = output.map(textOf).filter((text) => text !== "");
  return answerOf(texts.join("\n"), calls);
}

export function fromModelMessage(message: ModelMessage): AgentInputItem[] {
  const { role, text, calls, results } = partsOf(message);
  if (role === "system") return [{ role, content: text }];
  if (role === "user") return [userItem(text)];
  const status = "completed" as const;
  if (role === "tool")
    return results.map((result) => ({
      type: "function_call_result",
      callId: result.id,
      name: result.name,
      status,
      output: result.text,
    }));
  const content = [{ type: "output_text" as const, text }];
  const said = text === "" ? [] : [{ type: "message" as const, role, status, content }];
  return [
    ...said,
    ...calls.map(({ id, name, input }) => ({
      type: "function_call" as const,
      callId: id,
      name,
      arguments: JSON.stringify(input ?? {}),
    })),
  ];
}

function userItem(content: string): AgentInputItem {
  return { role: "user", content };
}

function textOf(item: AgentInputItem): string {
  return "role" in item ? textOfBlocks(item.content) : "";
}

type Blocks = { type?: string; text?: unknown }[];

function nameOf(item: object): { id: string; name: string } {
  const { callId, name, type } = item as { callId?: string; name?: string; type?: string };
  return { id: callId ?? "", name: name ?? type ?? "tool" };
}
