import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type AIMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createMiddleware } from "langchain";
import { checkAgentOptions } from "../../agent/options.ts";
import { HoldfastError } from "../../errors.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { CallerMemory, type PlacedCall, unavailable } from "../caller/caller-memory.ts";
import { frameworkModel } from "../caller/framework-model.ts";
import {
  type AdapterOptions,
  adapterOptionKinds,
  type CallerOptions,
  describeTools,
  listenersOf,
} from "../caller/options.ts";
import { callsOf, fromModelMessage, LangChainMessages, toModelMessage } from "./messages.ts";

export type { AgentEvent } from "../../agent/events.ts";
export { holdfastEnd } from "../caller/caller-memory.ts";

/** A model that can be called with messages, such as the one of an agent's request. */
type ChatModel = Pick<BaseChatModel, "invoke"> & Partial<Pick<BaseChatModel, "bindTools">>;

export interface HoldfastMiddlewareOptions
  extends Omit<AdapterOptions, "session" | "summaryModel" | "promptCache"> {
  /** The session of every run. Without it, the `thread_id` of a run is the id of its session in `memory`. */
  session?: Session;
  memory?: Memory;
  /** Writes the summaries (default: the agent's model). */
  summaryModel?: BaseChatModel;
}

/**
 * Memory for an agent of `createAgent`: its tools, its place in the prompt, and compaction. The graph's messages, and so
 * its checkpoints, stay as they are; only what goes to the model is shorter.
 *
 * @example
 * const agent = createAgent({ model, tools, checkpointer, middleware: [holdfastMiddleware({ memory, contextWindow: 128_000 })] });
 */
export function holdfastMiddleware(given: HoldfastMiddlewareOptions) {
  const { summaryModel, session, memory, ...options } = given;
  const source = session ?? memory;
  if (!source)
    throw new HoldfastError(
      "invalid_input",
      'holdfastMiddleware needs a "session" or a "memory"; got neither.',
    );
  checkAgentOptions("holdfastMiddleware", options, adapterOptionKinds);
  const own = { ...options, ...(summaryModel ? { summaryModel: asLanguageModel(summaryModel) } : {}) };
  const memoryOf = memoryOfThread(source, own);
  const messages = new LangChainMessages();
  return createMiddleware({
    name: "Holdfast",
    tools: describeTools(source, options).map(({ name, description, schema }) =>
      tool(
        async (input, config) => {
          const id = String(config.toolCall?.id ?? crypto.randomUUID());
          const memory = await memoryOf(config.configurable?.thread_id);
          const { ok, text } = (await memory?.run(name, input, id)) ?? unavailable;
          return new ToolMessage({ content: text, tool_call_id: id, name, status: ok ? "success" : "error" });
        },
        { name, description, schema },
      ),
    ),
    wrapModelCall: async (request, handler) => {
      const { runtime, model } = request;
      const memory = await memoryOf(runtime.configurable?.thread_id);
      if (!memory) return handler(request);
      const call = {
        base: request.systemMessage.text,
        messages: messages.toModel(request.messages),
        model: asLanguageModel(model as unknown as ChatModel),
        signal: runtime.signal,
      };
      const send = async (placed: PlacedCall | undefined) =>
        handler(
          placed
            ? {
                ...request,
                systemMessage: withMemory(request.systemMessage, placed),
                messages: messages.fromModel(placed.messages),
              }
            : request,
        );
      const { result, placed } = await memory.send(call, send);
      if (placed) await memory.record(placed, call, { message: toModelMessage(result), ...countsOf(result) });
      return result;
    },
  });
}

/** Finds the memory of a run; undefined if it cannot be opened, which is reported. */
function memoryOfThread(source: Session | Memory, options: CallerOptions) {
  const { report } = listenersOf(options);
  const known = new Map<string, CallerMemory>();
  return async (thread: unknown): Promise<CallerMemory | undefined> => {
    const id = "openSession" in source ? (typeof thread === "string" ? thread : "") : source.id;
    if (id === "") {
      throw new HoldfastError(
        "invalid_input",
        'The run has no thread, so its session is unknown. Pass { configurable: { thread_id } } to "invoke", or "session" to holdfastMiddleware.',
      );
    }
    try {
      const open = async () => ("openSession" in source ? source.openSession(id) : source);
      const found = known.get(id) ?? new CallerMemory(await open(), options);
      known.set(id, found);
      return found;
    } catch (error) {
      report(error);
      return undefined;
    }
  };
}

/** Appends memory to the agent's system message; blocks with a cache marker stay as they are. */
function withMemory(systemMessage: SystemMessage, { system, planned }: PlacedCall): SystemMessage {
  const { content } = systemMessage;
  if (typeof content === "string") return new SystemMessage(system);
  return new SystemMessage({ content: [...content, { type: "text", text: planned.prompt.system }] });
}

/** The agent's own model answers warnings and writes summaries. */
function asLanguageModel(model: ChatModel): LanguageModelV4 {
  const { model: id, _llmType } = model as { model?: string; _llmType?: () => string };
  const provider = _llmType?.call(model) ?? "langchain";
  return frameworkModel(provider, id ?? provider, async ({ system, messages, tools, signal }) => {
    const offered = tools.map(({ name, description, schema }) => ({
      type: "function",
      function: { name, description, parameters: schema },
    }));
    const bound = offered.length > 0 && model.bindTools ? model.bindTools(offered) : model;
    const prompt = [
      ...(system === "" ? [] : [new SystemMessage(system)]),
      ...messages.flatMap(fromModelMessage),
    ];
    const answer = await bound.invoke(prompt, signal ? { signal } : {});
    return { text: answer.text, calls: callsOf(answer), ...countsOf(answer) };
  });
}

function countsOf({ usage_metadata: usage }: Pick<AIMessage, "usage_metadata">) {
  return {
    inputTokens: usage?.input_tokens,
    outputTokens: usage?.output_tokens,
    cachedTokens: usage?.input_token_details?.cache_read,
    cacheWriteTokens: usage?.input_token_details?.cache_creation,
  };
}
