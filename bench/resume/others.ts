import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { type ModelMessage, pruneMessages } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { summarizationMiddleware } from "langchain";
import { createAgent } from "../../src/agent/index.ts";
import { openMemory } from "../../src/index.ts";
import { installPeers } from "../peers/install.ts";
import { lastMessage, session, spansOf } from "./stories.ts";
import type { Step } from "./story.ts";

/** LangChain's middleware with its default of 20 messages that stay. Without summaries its model fails. */
export async function contextFromLangchain(
  compactions: number,
  summaries: readonly string[] | undefined,
): Promise<string> {
  let messages: BaseMessage[] = [];
  for (const [index, span] of spansOf(compactions).entries()) {
    messages.push(...span.flatMap(langchainMessages));
    const model = new FakeListChatModel({ responses: [summaries?.[index] ?? ""] });
    if (!summaries)
      model.invoke = async () => {
        throw new Error("429 the provider is overloaded");
      };
    const { beforeModel } = summarizationMiddleware({ model, trigger: { messages: 1 } });
    if (typeof beforeModel !== "function") throw new Error("LangChain's middleware has changed its form.");
    const state = { messages } as Parameters<typeof beforeModel>[0];
    const result = await beforeModel(state, { context: {} } as Parameters<typeof beforeModel>[1]);
    const changed = result as { messages?: BaseMessage[] } | undefined;
    // The first message tells that all others are replaced.
    if (changed?.messages) messages = changed.messages.slice(1);
  }
  return messages
    .map((message) => `${labels[message.type] ?? message.type}: ${langchainText(message)}`)
    .join("\n");
}

const labels: Record<string, string> = { human: "USER", ai: "AGENT", tool: "RESULT" };

function langchainText(message: BaseMessage): string {
  if (!AIMessage.isInstance(message)) return message.text;
  const calls = (message.tool_calls ?? []).map(({ name, args }) => `CALL ${name} ${JSON.stringify(args)}`);
  return [message.text, ...calls].filter((part) => part !== "").join("\n");
}

let calls = 0;

function langchainMessages(step: Step): BaseMessage[] {
  if (step.kind === "user") return [new HumanMessage(step.text)];
  if (step.kind === "agent") return [new AIMessage(step.text)];
  const id = `call-${++calls}`;
  return [
    new AIMessage({
      content: "",
      tool_calls: [{ id, name: step.tool, args: step.input, type: "tool_call" }],
    }),
    new ToolMessage({ content: step.result, tool_call_id: id, status: step.failed ? "error" : "success" }),
  ];
}

/** Runs a program of a peer with the peer's packages. Its last line is the result. */
function runPeer<T>(file: string, input: object): T {
  const problem = installPeers();
  if (problem !== undefined) throw new Error(problem);
  const output = execFileSync(process.execPath, [join(import.meta.dirname, "../peers", file)], {
    input: JSON.stringify({ ...input, lastMessage }),
    encoding: "utf8",
    stdio: ["pipe", "pipe", "ignore"],
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(output.trim().split("\n").at(-1) ?? "") as T;
}

export function runDeepAgents(options: {
  compactions: number;
  summaries: readonly string[];
  queries: readonly string[];
}): { context: string; found: string[] } {
  return runPeer("deepagents-history.ts", { ...options, spans: spansOf(options.compactions) });
}

/** The context, or the request to the observer that has no answer yet. */
export function runMastra(observations: readonly string[]): {
  context: string;
  request?: { prompt: string; input: string };
} {
  return runPeer("mastra-observed.ts", { steps: session, observations });
}

function modelMessages(step: Step, number: number): ModelMessage[] {
  if (step.kind === "user") return [{ role: "user", content: step.text }];
  if (step.kind === "agent") return [{ role: "assistant", content: step.text }];
  const call = { toolCallId: `call-${number}`, toolName: step.tool };
  const output = { type: step.failed ? ("error-text" as const) : ("text" as const), value: step.result };
  return [
    { role: "assistant", content: [{ type: "tool-call", ...call, input: step.input }] },
    { role: "tool", content: [{ type: "tool-result", ...call, output }] },
  ];
}

/** The AI SDK's pruneMessages as in its documentation: every word stays, and calls before the last messages go. */
export function contextFromPruning(): string {
  const kept = pruneMessages({
    messages: session.flatMap(modelMessages),
    reasoning: "all",
    toolCalls: "before-last-6-messages",
    emptyMessages: "remove",
  });
  return kept.map(printMessage).join("\n");
}

function printMessage({ role, content }: ModelMessage): string {
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return parts
    .map((part) => {
      if (part.type === "text")
        return `${role === "user" ? "USER" : role === "assistant" ? "AGENT" : "SYSTEM"}: ${part.text}`;
      if (part.type === "tool-call") return `CALL ${part.toolName} ${JSON.stringify(part.input)}`;
      if (part.type === "tool-result" && (part.output.type === "text" || part.output.type === "error-text"))
        return `RESULT${part.output.type === "text" ? "" : " (failed)"}: ${part.output.value}`;
      return "";
    })
    .filter((line) => line !== "")
    .join("\n");
}

/** Holdfast's agent, whose model fails whenever it is asked for a summary. */
export async function contextFromAgent(compactions: number): Promise<string> {
  const memory = await openMemory({ store: "memory:" });
  try {
    let prompt: ModelMessage[] = [];
    const model = new MockLanguageModelV4({
      doGenerate: async () => {
        throw new Error("429 the provider is overloaded");
      },
      doStream: async (options) => {
        prompt = options.prompt as ModelMessage[];
        throw new Error("429 the provider is overloaded");
      },
    });
    const agent = createAgent({ memory, model, contextWindow: 200_000, keep: 0.0005, maxRetries: 0 });
    const session = await memory.createSession({ id: "exam" });
    let number = 0;
    for (const span of spansOf(compactions)) {
      const messages = span
        .flatMap((step) => modelMessages(step, ++number))
        .map((message) => ({ message, at: 0 }));
      await session.apply({ type: "messages.add", messages } as unknown as Parameters<
        typeof session.apply
      >[0]);
      await agent.compact("exam").result;
    }
    await agent.send("exam", lastMessage).result.catch(() => undefined);
    return prompt.map(printMessage).join("\n");
  } finally {
    await memory.close();
  }
}
