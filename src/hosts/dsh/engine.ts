import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { HoldfastError } from "../../errors.ts";
import type {
  DshAgent,
  DshContext,
  DshEngine,
  DshEngineClass,
  DshMessage,
  DshModelRequest,
  DshSummary,
  DshSummaryInput,
} from "./api.ts";
import { type DshMemory, folderOf, type Report } from "./dsh-memory.ts";
import { ownMessage } from "./messages.ts";

/** The window of a model that DeepSeek Harness does not know. */
const defaultWindow = 128_000;

/** Loads the host's own engine, which is not a dependency of ours. */
export async function loadBasicEngine({ baseUrl }: DshContext): Promise<DshEngineClass> {
  const path = createRequire(new URL("package.json", baseUrl)).resolve("@deepseek-ai/dsh-compaction-basic");
  const { BasicCompactionEngine } = (await import(pathToFileURL(path).href)) as {
    BasicCompactionEngine: DshEngineClass;
  };
  return BasicCompactionEngine;
}

/**
 * The host's engine with our compaction: the host decides when to compact and what to remove, and stores the result; the
 * summary, the checkpoint and the receipt are ours. If memory fails, the host summarises as it does without us.
 */
export function memoryEngine(Basic: DshEngineClass, memory: DshMemory, report: Report): DshEngineClass {
  return class MemoryCompactionEngine extends Basic {
    override async summarize(
      input: DshSummaryInput,
      agent: DshAgent,
      signal?: AbortSignal,
    ): Promise<DshSummary> {
      try {
        return await summarise(this, memory, input, agent, signal);
      } catch (error) {
        signal?.throwIfAborted();
        report("compaction", error, folderOf(agent));
        return super.summarize(input, agent, signal);
      }
    }

    override compactRegion(start: number, end: number, agent: DshAgent, signal?: AbortSignal) {
      return settled(memory, agent, super.compactRegion(start, end, agent, signal));
    }

    override compactNow(agent: DshAgent, signal: AbortSignal, command?: string) {
      return settled(memory, agent, super.compactNow(agent, signal, command));
    }
  };
}

async function settled<Result>(memory: DshMemory, agent: DshAgent, work: Promise<Result>): Promise<Result> {
  let isStored = false;
  try {
    const result = await work;
    isStored = result !== null;
    return result;
  } finally {
    await memory.settle(agent, isStored);
  }
}

async function summarise(
  { ctx: { llm }, config }: DshEngine,
  memory: DshMemory,
  input: DshSummaryInput,
  agent: DshAgent,
  signal = new AbortController().signal,
): Promise<DshSummary> {
  const { provider, model } = routeOf(config, agent);
  const { context } = await llm.resolveModelInfo(provider, model, signal);
  const common = { provider, model, sessionId: agent.session.id, purpose: "compaction", signal } as const;
  const { system, tools } = input;
  const text = await memory.summarise(agent, input.messages, {
    contextWindow: context?.contextWindow ?? defaultWindow,
    signal,
    ask: ({ instructions, sections, maxTokens }) =>
      answerOf(llm, {
        ...common,
        system: instructions,
        messages: [ownMessage(sections.join("\n\n"))],
        maxTokens,
      }),
    // As the last request began, so that the provider's cache is used.
    askInPlace: (instruction) =>
      answerOf(llm, {
        ...common,
        ...(system === undefined ? {} : { system }),
        ...(tools === undefined ? {} : { tools: [...tools] }),
        messages: [...input.messages, ownMessage(instruction)] satisfies DshMessage[],
        maxTokens: config.maxTokens,
      }),
  });
  return { summary: [{ type: "text", text }], provider, model };
}

/** The model that summarises: the configured one, that of the last request, or the agent's. */
function routeOf(
  { summarizationProvider, summarizationModel }: DshEngine["config"],
  { session, options }: DshAgent,
): { provider: string; model: string } {
  if (summarizationProvider !== "") return { provider: summarizationProvider, model: summarizationModel };
  const { provider = "", model = "" } = session.requestHeader()?.config ?? options;
  if (provider !== "" && model !== "") return { provider, model };
  throw new HoldfastError("not_found", "The conversation has no model yet. Send a message first.");
}

async function answerOf(llm: DshContext["llm"], request: DshModelRequest): Promise<string> {
  let text = "";
  for await (const { type, text: part = "", reason } of llm.stream(request)) {
    if (type === "text-delta") text += part;
    if (reason && ["error", "aborted", "max-tokens"].includes(reason.kind))
      throw new HoldfastError(
        "not_found",
        reason.failure?.message ?? `The answer ended with ${reason.kind}.`,
      );
  }
  return text;
}
