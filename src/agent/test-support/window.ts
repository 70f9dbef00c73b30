import type { TestContext } from "node:test";
import { finish, modelAt, tokensOf } from "../../../test/support/agent.ts";
import { tickingClock } from "../../../test/support/memory.ts";
import { assertValidPrompt } from "../../../test/support/prompt.ts";
import { openMemory } from "../../index.ts";
import type { Memory } from "../../sessions/memory.ts";
import { type ScriptedAnswer, type ScriptedRequest, startScriptedServer } from "../../testing/index.ts";
import { type Agent, type AgentOptions, createAgent } from "../index.ts";

export interface WindowOptions extends Partial<Omit<AgentOptions, "model" | "memory">> {
  /** The window that the server enforces, and the agent knows. */
  window: number;
  /** The server's token counts divided by ours. */
  factor: number;
  script: (request: ScriptedRequest, number: number) => ScriptedAnswer | Promise<ScriptedAnswer>;
  /** The model writes summaries in requests of their own. */
  hasSummaryRequests?: boolean;
}

export interface WindowStage {
  agent: Agent;
  memory: Memory;
  /** Another agent on the same store, as in a new process. */
  another(): Agent;
  requests: ScriptedRequest[];
  /** The server's count of each request, refused or not. */
  counts: number[];
  /** Numbers of the requests that the server refused as too long. */
  refused: number[];
  say(text: string, by?: Agent): ReturnType<typeof finish>;
  close(): Promise<void>;
}

/** An agent and a model server that refuses every prompt beyond its window, and counts in its own way. */
export async function openWindow(
  t: TestContext,
  { window, factor, script, hasSummaryRequests = false, ...options }: WindowOptions,
): Promise<WindowStage> {
  const counts: number[] = [];
  const refused: number[] = [];
  const problems: unknown[] = [];
  const server = await startScriptedServer(async (request, number) => {
    const input = Math.ceil(tokensOf(request) * factor);
    counts.push(input);
    try {
      assertValidPrompt(request);
    } catch (error) {
      problems.push(error);
    }
    if (input > window) {
      refused.push(number);
      const error = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${input} tokens.`;
      return { status: 400, error, code: "context_length_exceeded" };
    }
    return { usage: { input, output: 20 }, ...(await script(request, number)) } as ScriptedAnswer;
  });
  const memory = await openMemory({ store: "memory:", clock: tickingClock() });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await Promise.all([server.close(), memory.close()]);
    isOpen = false;
    if (problems.length > 0) throw problems[0];
  };
  t.after(close);
  const another = () =>
    createAgent({
      memory,
      model: modelAt(server.url),
      ...(hasSummaryRequests ? { summaryModel: modelAt(server.url) } : {}),
      contextWindow: window,
      system: "You are careful.",
      surfaces: ["notepad", "results", "recall"],
      ...options,
    });
  const agent = another();
  return {
    agent,
    memory,
    another,
    requests: server.requests,
    counts,
    refused,
    say: (text, by = agent) => finish(by.send("s", text)),
    close,
  };
}

/** Lines that can be told apart, of about that many tokens. */
export function numberedLines(tokens: number, name: string): string {
  return Array.from(
    { length: Math.ceil(tokens / 10) },
    (_, row) => `${name} row ${row + 1} of the long table`,
  ).join("\n");
}

/** All texts of a request's messages. */
export function textIn({ messages }: ScriptedRequest): string {
  return messages
    .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content ?? "")))
    .join("\n");
}
