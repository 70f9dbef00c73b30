import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { FunctionTool, Model, ModelRequest, ModelResponse, Tool } from "@openai/agents-core";
import { checkAgentOptions } from "../../agent/options.ts";
import { HoldfastError } from "../../errors.ts";
import { CallerMemory } from "../caller/caller-memory.ts";
import { frameworkModel } from "../caller/framework-model.ts";
import { parseArguments, partsOf } from "../caller/messages.ts";
import { type AdapterOptions, adapterOptionKinds, describeTools } from "../caller/options.ts";
import { AgentItems, answerMessage, fromModelMessage } from "./items.ts";

export type { AgentEvent } from "../../agent/events.ts";
export { holdfastEnd } from "../caller/caller-memory.ts";

export interface HoldfastAgentsOptions extends Omit<AdapterOptions, "summaryModel" | "promptCache"> {
  /** A model object of a provider: `await new OpenAIProvider().getModel("…")`. */
  model: Model;
  /** The agent's own tools; memory's are added to them. */
  tools?: Tool[];
  /** Writes the summaries (default: the agent's model). */
  summaryModel?: Model;
}

/**
 * Memory for an agent of the OpenAI Agents SDK: a model that places memory and compacts, and memory's tools.
 *
 * @example
 * const { model, tools } = holdfastAgents({ session, model: given, contextWindow: 128_000 });
 * await run(new Agent({ name: "Auditor", model, tools }), "Why does Q3 not add up?", { session: new MemorySession() });
 */
export function holdfastAgents(options: HoldfastAgentsOptions) {
  const { session, model, tools = [], summaryModel, ...rest } = options;
  checkModel(model);
  const own = { ...rest, ...(summaryModel ? { summaryModel: asLanguageModel(summaryModel) } : {}) };
  checkAgentOptions("holdfastAgents", own, adapterOptionKinds);
  const memory = new CallerMemory(session, own);
  return {
    model: withMemory(model, memory),
    tools: [...tools, ...memoryTools(memory, options)],
  };
}

function memoryTools(memory: CallerMemory, options: HoldfastAgentsOptions): FunctionTool[] {
  return describeTools(memory.session, options).map(({ name, description, schema }) => ({
    type: "function",
    name,
    description,
    parameters: schema as unknown as FunctionTool["parameters"],
    // Strict schemas have no optional parameters, and most of memory's parameters are optional.
    strict: false,
    invoke: async (_context, input, details) => {
      const id = details?.toolCall?.callId ?? crypto.randomUUID();
      return (await memory.run(name, parseArguments(input), id)).text;
    },
    needsApproval: async () => false,
    isEnabled: async () => true,
  }));
}

/** Places memory in every request, compacts, and records answers. */
function withMemory(inner: Model, memory: CallerMemory): Model {
  const model = asLanguageModel(inner);
  const items = new AgentItems();
  const send = async <T>(request: ModelRequest, answer: (request: ModelRequest) => Promise<T>) => {
    const { systemInstructions: base = "", input, signal } = request;
    const call = { base, messages: items.toModel(input), model, signal };
    const { result, placed } = await memory.send(call, (now) =>
      answer(
        now ? { ...request, systemInstructions: now.system, input: items.fromModel(now.messages) } : request,
      ),
    );
    const record = async ({ output, usage }: Answer) => {
      if (placed) await memory.record(placed, call, { message: answerMessage(output), ...countsOf(usage) });
    };
    return { result, record };
  };
  return {
    ...(inner.getRetryAdvice ? { getRetryAdvice: inner.getRetryAdvice.bind(inner) } : {}),
    async getResponse(request) {
      const { result, record } = await send(request, (placed) => inner.getResponse(placed));
      await record(result);
      return result;
    },
    async *getStreamedResponse(request) {
      const { result, record } = await send(request, async (placed) => {
        const events = inner.getStreamedResponse(placed)[Symbol.asyncIterator]();
        // A rejected request fails here.
        return { events, first: await events.next() };
      });
      for (let step = result.first; !step.done; step = await result.events.next()) {
        if (step.value.type === "response_done") await record(step.value.response);
        yield step.value;
      }
    },
  };
}

type Answer = Pick<ModelResponse, "output"> & { usage: { inputTokens: number; outputTokens: number } };

/** The agent's own model answers warnings and writes summaries. */
function asLanguageModel(model: Model): LanguageModelV4 {
  return frameworkModel(
    "openai-agents",
    model.constructor.name,
    async ({ system, messages, tools, maxTokens, signal }) => {
      const { output, usage } = await model.getResponse({
        systemInstructions: system,
        input: messages.flatMap(fromModelMessage),
        tools: tools.map(({ name, description, schema }) => ({
          type: "function",
          name,
          description,
          parameters: schema as unknown as FunctionTool["parameters"],
          strict: false,
        })),
        modelSettings: maxTokens === undefined ? {} : { maxTokens },
        outputType: "text",
        handoffs: [],
        tracing: false,
        ...(signal ? { signal } : {}),
      });
      const { text, calls } = partsOf(answerMessage(output));
      return { text, calls, ...countsOf(usage) };
    },
  );
}

/** Some providers report no counts, and the SDK fills in 0. */
function countsOf({ inputTokens, outputTokens }: Answer["usage"]) {
  return { inputTokens: inputTokens || undefined, outputTokens: outputTokens || undefined };
}

/** Untyped callers may pass a name, as the SDK allows, but a name cannot be wrapped. */
function checkModel(model: unknown): void {
  if (typeof model === "object" && model !== null) return;
  throw new HoldfastError(
    "invalid_input",
    `"model" must be a model object, such as await new OpenAIProvider().getModel(${JSON.stringify(model)}).`,
  );
}
