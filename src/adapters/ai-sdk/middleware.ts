import type { Instructions, LanguageModel, LanguageModelMiddleware, ModelMessage } from "ai";
import {
  type CachedMessage,
  cacheKindOf,
  planCacheMarks,
  withCacheKey,
  withCacheMark,
} from "../../context/prompt-cache.ts";
import { isObject } from "../../engine/json.ts";
import { dotless } from "../../surfaces/toolbox.ts";
import type { CallerMemory, FrameworkCall, PlacedCall } from "../caller/caller-memory.ts";
import {
  type CallOptions,
  divide,
  type PromptMessage,
  parseArguments,
  toModelMessage,
  withMemory,
} from "../caller/messages.ts";

/** A call that was sent with memory. */
interface SentCall {
  original: CallOptions;
  call: FrameworkCall;
  placed: PlacedCall;
}

/**
 * Adds memory to each prompt on its way to the model, and nowhere else: neither the caller's messages nor the answers
 * ever contain it.
 */
export function memoryMiddleware(
  memory: CallerMemory,
  { promptCache = true }: { promptCache?: boolean | undefined },
): LanguageModelMiddleware {
  /** A call that is not in here does not belong to the conversation. */
  const sentCalls = new WeakMap<CallOptions, SentCall>();

  /** The caller's options with the prompt that memory has planned. */
  const optionsFor = (original: CallOptions, placed: PlacedCall, provider: string): CallOptions => {
    const { prompt } = placed.planned;
    const system = withMemory(divide(original.prompt).instructions, prompt.system);
    const options = { ...original, prompt: [...system, ...placed.messages.map(toPromptMessage)] };
    if (!promptCache) return options;
    const summary = prompt.parts.indexOf("summaries");
    return withPromptCache(options, provider, {
      session: memory.session.id,
      summary: summary < 0 ? undefined : system.length + summary,
    });
  };

  /** Sends a call again, shorter, if the provider rejects it as too long. */
  const send = async <T>(
    { original, call, placed: first }: SentCall,
    provider: string,
    sendFirst: () => PromiseLike<T>,
    sendAgain: (options: CallOptions) => PromiseLike<T>,
  ) => {
    const { result, placed = first } = await memory.send(
      call,
      (now) => (!now || now === first ? sendFirst() : sendAgain(optionsFor(original, now, provider))),
      first,
    );
    const record = (content: GenerateResult["content"], counts: ModelUsage | undefined, body: unknown) =>
      memory.record(placed, call, { message: answerOf(content), ...countsOf(counts), body });
    return { result, record };
  };

  return {
    specificationVersion: "v4",
    transformParams: async ({ params, model }) => {
      const { base, conversation } = divide(params.prompt);
      const signal = params.abortSignal;
      memory.conversation.signal = signal;
      const call = { base, messages: conversation.map(toModelMessage), model, signal };
      const placed = await memory.place(call);
      if (!placed) return params;
      const options = optionsFor(params, placed, model.provider);
      sentCalls.set(options, { original: params, call, placed });
      return options;
    },
    wrapGenerate: async ({ doGenerate, params, model }) => {
      const sent = sentCalls.get(params);
      if (!sent) return doGenerate();
      const again = (options: CallOptions) => model.doGenerate(options);
      const { result, record } = await send(sent, model.provider, doGenerate, again);
      const content = result.content.map((part) => withOfferedName(part, params));
      await record(content, result.usage, result.request?.body);
      return { ...result, content };
    },
    wrapStream: async ({ doStream, params, model }) => {
      const sent = sentCalls.get(params);
      if (!sent) return doStream();
      const again = (options: CallOptions) => model.doStream(options);
      const { result, record } = await send(sent, model.provider, doStream, again);
      const stream = recordStream(result.stream, {
        rename: (part) => withOfferedName(part, params),
        record: (content, counts) => record(content, counts, result.request?.body),
      });
      return { ...result, stream };
    },
  };
}

type ModelUsage = GenerateResult["usage"];

function countsOf({ inputTokens, outputTokens }: Partial<ModelUsage> = {}) {
  return {
    inputTokens: inputTokens?.total,
    outputTokens: outputTokens?.total,
    cachedTokens: inputTokens?.cacheRead,
    cacheWriteTokens: inputTokens?.cacheWrite,
  };
}

/** A call, or the beginning of one, under the name that the SDK knows. */
function withOfferedName<T extends { type: string }>(part: T, params: CallOptions): T {
  if (!("toolName" in part) || typeof part.toolName !== "string") return part;
  const name = offeredName(part.toolName, params);
  return name === part.toolName ? part : { ...part, toolName: name };
}

function toPromptMessage(message: ModelMessage): PromptMessage {
  if (message.role === "user" && typeof message.content === "string") {
    return { ...message, content: [{ type: "text", text: message.content }] };
  }
  return withObjects(message as PromptMessage);
}

/** Providers reject a call whose arguments are not an object; the SDK has answered such a call with an error. */
function withObjects(message: PromptMessage): PromptMessage {
  if (message.role !== "assistant") return message;
  const isMalformed = (part: (typeof message.content)[number]) =>
    part.type === "tool-call" && !isObject(part.input);
  if (!message.content.some(isMalformed)) return message;
  return {
    ...message,
    content: message.content.map((part) => (isMalformed(part) ? { ...part, input: {} } : part)),
  };
}

/** Asks the provider to cache the prompt; `summary` is the index of the summary among the messages. */
function withPromptCache(
  params: CallOptions,
  provider: string,
  { session, summary }: { session: string; summary: number | undefined },
): CallOptions {
  const kind = cacheKindOf(provider);
  if (kind === "none") return params;
  if (kind === "key") {
    // These options are the caller's own and a text.
    const providerOptions = withCacheKey(params.providerOptions, session) as CallOptions["providerOptions"];
    return { ...params, ...(providerOptions ? { providerOptions } : {}) };
  }
  const { prompt, tools = [] } = params;
  const markable = tools.map((tool) => (tool.type === "function" ? tool : {}));
  const plan = planCacheMarks(prompt as CachedMessage[], markable, summary);
  return {
    ...params,
    prompt: prompt.map((message, at) => (plan.messages.has(at) ? withCacheMark(message) : message)),
    ...(plan.tools
      ? { tools: tools.map((tool, at) => (at === tools.length - 1 ? markTool(tool) : tool)) }
      : {}),
  };
}

function markTool(tool: NonNullable<CallOptions["tools"]>[number]): typeof tool {
  return tool.type === "function" ? withCacheMark(tool) : tool;
}

/** The name under which a called tool was offered: some models write `session.scratchpad` as the prompt does. */
function offeredName(name: string, { tools = [] }: CallOptions): string {
  const plain = dotless(name);
  return plain !== name && tools.some((tool) => tool.name === plain) ? plain : name;
}

type GenerateResult = Awaited<ReturnType<NonNullable<LanguageModelMiddleware["wrapGenerate"]>>>;
type StreamResult = Awaited<ReturnType<NonNullable<LanguageModelMiddleware["wrapStream"]>>>;
type StreamPart = StreamResult["stream"] extends ReadableStream<infer Part> ? Part : never;

/** A model's answer as the message that the caller will pass in with its next call. */
function answerOf(content: GenerateResult["content"]): ModelMessage | undefined {
  const parts = content.flatMap((part): AnswerPart[] => {
    if (part.type === "text" && part.text !== "") return [{ type: "text", text: part.text }];
    if (part.type !== "tool-call") return [];
    const { type, toolCallId, toolName, input } = part;
    return [{ type, toolCallId, toolName, input: parseArguments(input) }];
  });
  return parts.length === 0 ? undefined : { role: "assistant", content: parts };
}

type AnswerPart = Extract<
  Exclude<Extract<ModelMessage, { role: "assistant" }>["content"], string>[number],
  { type: "text" | "tool-call" }
>;

/** Records a streamed answer before passing on its `finish` part, because the SDK runs the tools after that. */
function recordStream(
  stream: StreamResult["stream"],
  {
    rename,
    record,
  }: {
    /** Gives a call the name under which the tool was offered. */
    rename: (part: StreamPart) => StreamPart;
    record: (content: GenerateResult["content"], counts: ModelUsage | undefined) => Promise<void>;
  },
): StreamResult["stream"] {
  const content = new Map<string, GenerateResult["content"][number]>();
  let isRecorded = false;
  const end = async (counts?: ModelUsage) => {
    if (!isRecorded) await record([...content.values()], counts);
    isRecorded = true;
  };
  const pieces = new TransformStream<StreamPart, StreamPart>({
    async transform(original, controller) {
      const part = rename(original);
      if (part.type === "text-delta") {
        const known = content.get(part.id);
        const before = known?.type === "text" ? known.text : "";
        content.set(part.id, { type: "text", text: `${before}${part.delta}` });
      } else if (part.type === "tool-call") content.set(part.toolCallId, part);
      else if (part.type === "finish") await end(part.usage);
      controller.enqueue(part);
    },
    flush: () => end(),
  });
  return stream.pipeThrough(pieces);
}

/** The fields of a `prepareStep` argument that we read. */
export interface Step {
  messages: ModelMessage[];
  steps: readonly unknown[];
  instructions?: Instructions | undefined;
}

/** Before each step: stores new messages, then clears, warns and compacts as needed. The middleware places what is left. */
export function prepareStepFor(memory: CallerMemory, model: LanguageModel): (step: Step) => Promise<void> {
  const { conversation } = memory;
  return async ({ messages, steps, instructions }) =>
    memory.makeRoom({
      base: textOf(instructions),
      messages: conversationIn(messages),
      model,
      signal: steps.length > 0 ? conversation.signal : undefined,
    });
}

/** The messages after the instructions. */
function conversationIn(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const start = messages.findIndex(({ role }) => role !== "system");
  return start === -1 ? [] : messages.slice(start);
}

function textOf(instructions: Instructions | undefined): string {
  if (instructions === undefined || typeof instructions === "string") return instructions ?? "";
  return [instructions]
    .flat()
    .map(({ content }) => content)
    .join("\n\n");
}
