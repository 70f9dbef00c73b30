import { jsonSchema, type LanguageModel, type ModelMessage, type ToolSet, tool } from "ai";
import { checkAgentOptions } from "../../agent/options.ts";
import { isObject } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";
import { CallerMemory, type FrameworkCall, maxRetries, type PlacedCall } from "../caller/caller-memory.ts";
import { divide, Originals, type PromptMessage, toModelMessage, withMemory } from "../caller/messages.ts";
import { type AdapterOptions, adapterOptionKinds, describeTools } from "../caller/options.ts";

export type { AgentEvent } from "../../agent/events.ts";
export { holdfastEnd } from "../caller/caller-memory.ts";

/** The fields of Mastra's `processLLMRequest` arguments that we read. */
interface RequestArguments {
  prompt: readonly object[];
  abortSignal?: AbortSignal;
  state: Record<string, unknown>;
}

/** The fields of Mastra's `processLLMResponse` arguments that we read. */
interface ResponseArguments {
  chunks?: readonly { type: string; payload?: unknown }[];
  state: Record<string, unknown>;
}

/** The fields of Mastra's `processAPIError` arguments that we read. */
interface ErrorArguments {
  error: unknown;
  retryCount: number;
}

export interface HoldfastMastraOptions extends Omit<AdapterOptions, "promptCache"> {
  /** Answers warnings and writes summaries: the AI SDK model that the agent has. */
  model: LanguageModel;
}

/**
 * Memory for a Mastra agent: a processor that places memory in each request and compacts, and memory's tools. Mastra's own
 * messages, and what it stores of them, stay as they are.
 *
 * @example
 * const { processor, tools } = holdfastMastra({ session, model, contextWindow: 128_000 });
 * const agent = new Agent({ id: "auditor", name: "Auditor", instructions, model, tools, inputProcessors: [processor] });
 */
export function holdfastMastra({ model, ...options }: HoldfastMastraOptions) {
  if (typeof model !== "object" || model === null) {
    throw new HoldfastError(
      "invalid_input",
      `"model" must be a model object of an AI SDK provider, not the name ${JSON.stringify(model)}: Holdfast calls it for summaries.`,
    );
  }
  const { session, ...rest } = options;
  checkAgentOptions("holdfastMastra", rest, adapterOptionKinds);
  const memory = new CallerMemory(session, rest);
  return { processor: processorFor(memory, model), tools: toolsFor(memory, options) };
}

/** The data of a sent request, kept in Mastra's state of the processor until its answer. */
interface Sent {
  call: FrameworkCall;
  placed: PlacedCall;
}

const sentKey = "holdfast";

function processorFor(memory: CallerMemory, model: LanguageModel) {
  const messages = new Originals<PromptMessage>();
  // Mastra gives error processors a state of their own.
  let last: FrameworkCall | undefined;
  return {
    id: "holdfast",
    name: "Holdfast",
    /** The request that Mastra is about to send, with memory and without the compacted messages. It affects this call only. */
    async processLLMRequest({
      prompt,
      abortSignal,
      state,
    }: RequestArguments): Promise<{ prompt: never } | undefined> {
      // Mastra's prompt has the same parts as the AI SDK's.
      const { instructions, base, conversation } = divide(prompt as PromptMessage[]);
      const call = {
        base,
        messages: conversation.map((message) => messages.toModel(message, toModelMessage)),
        model,
        signal: abortSignal,
      };
      last = call;
      const placed = await memory.prepare(call);
      if (!placed) return undefined;
      state[sentKey] = { call, placed } satisfies Sent;
      const system = withMemory(instructions, placed.planned.prompt.system);
      // The type of a prompt depends on the version of the model.
      return { prompt: [...system, ...messages.fromModel(placed.messages, toPromptMessages)] as never };
    },
    /** Has a request that the provider rejected as too long compacted and sent again. */
    async processAPIError({ error, retryCount }: ErrorArguments): Promise<{ retry: boolean } | undefined> {
      if (!last || retryCount >= maxRetries) return undefined;
      return (await memory.compactRejected(last, error)) ? { retry: true } : undefined;
    },
    /** Learns from the provider's counts. The answer itself comes with the next request. */
    async processLLMResponse({ chunks = [], state }: ResponseArguments): Promise<undefined> {
      const { call, placed } = (state[sentKey] ?? {}) as Partial<Sent>;
      state[sentKey] = undefined;
      if (call && placed) await memory.record(placed, call, countsIn(chunks));
      return undefined;
    },
  };
}

function toPromptMessages(message: ModelMessage): PromptMessage[] {
  if (message.role === "user" && typeof message.content === "string")
    return [{ ...message, content: [{ type: "text", text: message.content }] }];
  return [message as PromptMessage];
}

/** The usage in the chunk that ends an answer. */
function countsIn(chunks: readonly { payload?: unknown }[]) {
  for (const { payload } of chunks) {
    const output = isObject(payload) && isObject(payload.output) ? payload.output : payload;
    const usage = isObject(output) ? output.usage : undefined;
    if (!isObject(usage)) continue;
    const count = (name: string) =>
      typeof usage[name] === "number" ? Number(usage[name]) || undefined : undefined;
    return { inputTokens: count("inputTokens"), outputTokens: count("outputTokens") };
  }
  return {};
}

/** Mastra runs tools of the AI SDK as they are. */
function toolsFor(memory: CallerMemory, options: Omit<HoldfastMastraOptions, "model">): ToolSet {
  const described = describeTools(memory.session, options).map(({ name, description, schema }) => {
    const execute = async (input: unknown, { toolCallId }: { toolCallId?: string }): Promise<string> =>
      (await memory.run(name, input, toolCallId ?? crypto.randomUUID())).text;
    return [name, tool({ description, inputSchema: jsonSchema(schema), execute })] as const;
  });
  return Object.fromEntries(described) as ToolSet;
}
