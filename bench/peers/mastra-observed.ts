import { readFileSync } from "node:fs";
import { LibSQLStore } from "@mastra/libsql";
import { ObservationalMemory } from "@mastra/memory/processors";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import type { Step } from "../resume/story.ts";

/**
 * Mastra's observational memory with its default thresholds: an observer replaces each 30,000 tokens of messages by
 * observations. Reads the steps and the observer's answers from stdin, and prints the context, or the next request to the
 * observer as JSON.
 */
const { steps, observations } = JSON.parse(readFileSync(0, "utf8")) as {
  steps: Step[];
  observations: string[];
};

type Prompt = { role: string; content: string | { type: string; text?: string }[] }[];
let asked = 0;
let request: { prompt: string; input: string } | undefined;
const textOf = ({ content }: Prompt[number]) =>
  typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n");

function observe(prompt: Prompt): string {
  const answer = observations[asked++];
  if (answer !== undefined) return answer;
  const [system, others] = [
    prompt.filter(({ role }) => role === "system"),
    prompt.filter(({ role }) => role !== "system"),
  ];
  request = { prompt: system.map(textOf).join("\n\n"), input: others.map(textOf).join("\n\n") };
  throw new Error("The observer has not answered yet.");
}

const usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};
const finishReason = { unified: "stop" as const, raw: undefined };
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => ({
    content: [{ type: "text", text: observe(prompt as Prompt) }],
    finishReason,
    usage,
    warnings: [],
  }),
  doStream: async ({ prompt }) => {
    const text = observe(prompt as Prompt);
    return {
      stream: simulateReadableStream({
        chunks: [
          { type: "stream-start" as const, warnings: [] },
          { type: "text-start" as const, id: "1" },
          { type: "text-delta" as const, id: "1", delta: text },
          { type: "text-end" as const, id: "1" },
          { type: "finish" as const, finishReason, usage },
        ],
      }),
    };
  },
});

const thread = { threadId: "exam", resourceId: "user" };
const begin = Date.UTC(2026, 8, 14, 8);
const stepTime = 20_000;
const storage = new LibSQLStore({ id: "exam", url: ":memory:" });
await storage.init();
const store = await storage.getStore("memory");
if (!store) throw new Error("LibSQL has no store for memory.");
const [createdAt, updatedAt] = [new Date(begin), new Date(begin)];
// The thread keeps the current task, which the observer writes as well.
await store.saveThread({
  thread: { id: thread.threadId, resourceId: thread.resourceId, title: "", createdAt, updatedAt },
});
const memory = new ObservationalMemory({
  storage: store,
  model: model as never,
  // Observed when the threshold is reached instead of a fifth at a time in the background.
  observation: { bufferTokens: false },
});
let first = 0;
try {
  for (const index of steps.keys()) {
    const messages = steps.slice(first, index + 1).map((step, at) => messageOf(step, first + at));
    if (!(await memory.getStatus({ ...thread, messages })).shouldObserve) continue;
    await memory.observe({ ...thread, messages });
    const kept = await memory.pruneObserved({ ...thread, messages });
    first = index + 1 - kept.length;
  }
  const currentDate = new Date(begin + stepTime * steps.length);
  const observed = (await memory.buildContextSystemMessage({ ...thread, currentDate })) ?? "";
  const context = [observed, ...steps.slice(first).map(printed)].join("\n");
  process.stdout.write(`${JSON.stringify({ context })}\n`);
} catch (error) {
  if (!request) throw error;
  process.stdout.write(`${JSON.stringify({ request })}\n`);
}

function printed(step: Step): string {
  if (step.kind !== "call") return `${step.kind.toUpperCase()}: ${step.text}`;
  return `CALL ${step.tool} ${JSON.stringify(step.input)}\nRESULT${step.failed ? " (failed)" : ""}: ${step.result}`;
}

function messageOf(step: Step, index: number) {
  const common = { id: `message-${index}`, createdAt: new Date(begin + stepTime * index), ...thread };
  if (step.kind !== "call")
    return {
      ...common,
      role: step.kind === "user" ? "user" : "assistant",
      content: { format: 2, parts: [{ type: "text", text: step.text }] },
    };
  const toolInvocation = {
    state: "result",
    toolCallId: `call-${index}`,
    toolName: step.tool,
    args: step.input,
    result: step.result,
  };
  return {
    ...common,
    role: "assistant",
    content: { format: 2, parts: [{ type: "tool-invocation", toolInvocation }] },
  };
}
