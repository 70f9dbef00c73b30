import {
  type Instructions,
  type LanguageModel,
  type LanguageModelMiddleware,
  type ModelMessage,
  wrapLanguageModel,
} from "ai";
import { isOverflow, providerOf } from "../../agent/call.ts";
import { runCompaction } from "../../agent/compact.ts";
import type { PromptNow } from "../../agent/conversation.ts";
import type { ReportedUsage } from "../../agent/events.ts";
import { recordTurn } from "../../agent/ledger.ts";
import type { AgentConfig } from "../../agent/options.ts";
import { modelName } from "../../agent/turn.ts";
import {
  type CachedMessage,
  cacheKindOf,
  planCacheMarks,
  withCacheKey,
  withCacheMark,
} from "../../context/prompt-cache.ts";
import { withSystemRole } from "../../context/system-role.ts";
import { isObject } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";
import { dotless } from "../../surfaces/toolbox.ts";
import { createNudge, makeRoomForCall, planCall } from "../caller/caller-memory.ts";
import type { CallerSession } from "../caller/caller-session.ts";
import {
  type CallOptions,
  divide,
  type PromptMessage,
  toModelMessage,
  withMemory,
} from "../caller/messages.ts";
import type { Listeners } from "../caller/options.ts";

/** A caller's conversation, its settings, and the listeners for events. */
export interface Parts extends Listeners {
  agent: CallerSession;
  setting: AgentConfig;
}

export interface MiddlewareParts extends Parts {
  /** Writes the summary after an overflow; without it the middleware does not compact. */
  model?: LanguageModel;
}

/**
 * Adds memory to each prompt on its way to the model, and nowhere else: neither the caller's messages nor the answers
 * ever contain it.
 */
export function memoryMiddleware({
  agent,
  setting,
  emit,
  report,
  model,
}: MiddlewareParts): LanguageModelMiddleware {
  /** The prompts with memory; a call that is not in here does not belong to the conversation. */
  const placements = new WeakMap<CallOptions, PlacedCall>();
  const nudge = createNudge(setting, emit);

  const addMemory = async (params: CallOptions, provider: string): Promise<CallOptions> => {
    const { conversation: shared } = agent;
    shared.signal = params.abortSignal;
    const { instructions, base, conversation } = divide(params.prompt);
    const parts = { agent, setting, emit, nudge };
    const planned = await planCall(parts, conversation.map(toModelMessage), base);
    const { prompt } = planned;
    const system = withMemory(instructions, prompt.system);
    const messages = withSystemRole(prompt, provider).map((message) =>
      toPromptMessage(shared.bytes.with(message)),
    );
    const whole = { ...params, prompt: [...system, ...messages] };
    const summary = prompt.parts.indexOf("summaries");
    const placed =
      setting.options.promptCache === false
        ? whole
        : withPromptCache(whole, provider, {
            session: agent.session.id,
            summary: summary < 0 ? undefined : system.length + summary,
          });
    placements.set(placed, { original: params, planned, base });
    shared.placed++;
    return placed;
  };

  /** If the provider rejects a call as too long, compacts and retries; returns what was sent in the end, too. */
  const withinWindow = async <T>(
    params: CallOptions,
    first: () => PromiseLike<T>,
    again: (params: CallOptions) => PromiseLike<T>,
  ): Promise<{ result: T; sent: CallOptions }> => {
    let sent = params;
    for (let attempt = 1; ; attempt++) {
      try {
        return { result: await (sent === params ? first() : again(sent)), sent };
      } catch (error) {
        const original = placements.get(params)?.original;
        const canCompact = original && model && attempt <= 3 && isOverflow(error);
        const placed = canCompact ? await compactAndAddMemory(original, model).catch(report) : undefined;
        if (!placed) throw error;
        sent = placed;
      }
    }
  };

  const compactAndAddMemory = (params: CallOptions, by: LanguageModel): Promise<CallOptions | undefined> =>
    agent.exclusive(async () => {
      const { base, conversation } = divide(params.prompt);
      // Another call on this conversation may have run in the meantime.
      await agent.follow(conversation.map(toModelMessage), base, emit);
      const skipped = "the provider refused the prompt as too long";
      const signal = params.abortSignal ?? new AbortController().signal;
      const run = { agent, setting, signal, emit, model: by, base, skipped };
      const done = await runCompaction({ ...run, trigger: "overflow" });
      return done ? addMemory(params, providerOf(by)) : undefined;
    });

  const record = async (answer: ModelMessage) => {
    await agent.store([answer]).catch(report);
  };

  /** Learns from the provider's counts and records the call. */
  const observe = async (params: CallOptions, used: LanguageModel, counts: ModelUsage, body: unknown) => {
    const call = placements.get(params);
    if (!call) return;
    const reported = reportedCounts(counts);
    await agent.observe(modelName(used), reported.inputTokens).catch(report);
    // Without a window, memory is placed but nothing is counted.
    if (!Number.isFinite(setting.policy.contextWindow)) return;
    const { planned, base } = call;
    const usage = agent.usage(planned.prompt, base);
    emit({ type: "usage", usage, reported });
    const system = [base, planned.prompt.system].filter((text) => text !== "").join("\n\n");
    const now = { ...planned, usage, prompt: { ...planned.prompt, system } };
    const run = { agent, setting, emit, model: used, base };
    const recorded =
      setting.options.ledger === false ? undefined : await recordTurn(run, now, "turn", reported);
    await agent.receiptCheck.check({ call: recorded, body: body ?? params.prompt }, emit).catch(report);
  };

  return {
    specificationVersion: "v4",
    transformParams: async ({ params, model: used }) => {
      if (params.providerOptions?.[ownCall]) return withoutMarker(params);
      try {
        return await agent.exclusive(() => addMemory(params, used.provider));
      } catch (error) {
        report(error);
        return params;
      }
    },
    wrapGenerate: async ({ doGenerate, params, model: used }) => {
      const { result, sent } = await withinWindow(params, doGenerate, (placed) => used.doGenerate(placed));
      if (!placements.has(params)) return result;
      const content = result.content.map((part) => withOfferedName(part, params));
      await observe(sent, used, result.usage, result.request?.body);
      await recordAnswer(content, record);
      return { ...result, content };
    },
    wrapStream: async ({ doStream, params, model: used }) => {
      const { result, sent } = await withinWindow(params, doStream, (placed) => used.doStream(placed));
      if (!placements.has(params)) return result;
      const stream = recordStream(result.stream, {
        rename: (part) => withOfferedName(part, params),
        record,
        onUsage: (counts) => observe(sent, used, counts, result.request?.body),
      });
      return { ...result, stream };
    },
  };
}

interface PlacedCall {
  original: CallOptions;
  planned: Omit<PromptNow, "usage">;
  /** The caller's own instructions. */
  base: string;
}

type ModelUsage = GenerateResult["usage"];

function reportedCounts({ inputTokens, outputTokens }: ModelUsage): ReportedUsage {
  return {
    inputTokens: inputTokens.total,
    outputTokens: outputTokens.total,
    cachedTokens: inputTokens.cacheRead,
    cacheWriteTokens: inputTokens.cacheWrite,
  };
}

/** A call, or the beginning of one, under the name that the SDK knows. */
function withOfferedName<T extends { type: string }>(part: T, params: CallOptions): T {
  if (!("toolName" in part) || typeof part.toolName !== "string") return part;
  const name = offeredName(part.toolName, params);
  return name === part.toolName ? part : { ...part, toolName: name };
}

const ownCall = "holdfast";

/** Marks the calls that Holdfast makes itself, so that the middleware passes them through unchanged. */
export function forOwnCalls(model: LanguageModel): LanguageModel {
  if (typeof model === "string") return model;
  const marker: LanguageModelMiddleware = {
    transformParams: async ({ params }) => ({
      ...params,
      providerOptions: { ...params.providerOptions, [ownCall]: { own: true } },
    }),
  };
  return wrapLanguageModel({ model, middleware: marker });
}

function withoutMarker(params: CallOptions): CallOptions {
  const { [ownCall]: _marker, ...providerOptions } = params.providerOptions ?? {};
  return { ...params, providerOptions };
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

export type GenerateResult = Awaited<ReturnType<NonNullable<LanguageModelMiddleware["wrapGenerate"]>>>;
type StreamResult = Awaited<ReturnType<NonNullable<LanguageModelMiddleware["wrapStream"]>>>;
type StreamPart = StreamResult["stream"] extends ReadableStream<infer Part> ? Part : never;
type RecordMessage = (answer: ModelMessage) => Promise<void>;

/** Records a model's answer as the message that the caller will pass in with its next call. */
async function recordAnswer(content: GenerateResult["content"], record: RecordMessage): Promise<void> {
  const parts: AnswerPart[] = [];
  for (const part of content) {
    if (part.type === "text" && part.text !== "") parts.push({ type: "text", text: part.text });
    else if (part.type === "tool-call") parts.push(callPart(part));
  }
  if (parts.length > 0) await record({ role: "assistant", content: parts });
}

type AnswerPart = Extract<
  Exclude<Extract<ModelMessage, { role: "assistant" }>["content"], string>[number],
  { type: "text" | "tool-call" }
>;

function callPart(part: { toolCallId: string; toolName: string; input: string }): AnswerPart {
  const { toolCallId, toolName } = part;
  return { type: "tool-call", toolCallId, toolName, input: parseInput(part.input) };
}

function parseInput(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

/** Records a streamed answer before passing on its `finish` part, because the SDK runs the tools after that. */
function recordStream(
  stream: StreamResult["stream"],
  {
    rename,
    record,
    onUsage,
  }: {
    /** Gives a call the name under which the tool was offered. */
    rename: (part: StreamPart) => StreamPart;
    record: RecordMessage;
    onUsage: (usage: GenerateResult["usage"]) => Promise<void>;
  },
): StreamResult["stream"] {
  const content = new Map<string, GenerateResult["content"][number]>();
  let isRecorded = false;
  const end = async () => {
    if (!isRecorded) await recordAnswer([...content.values()], record);
    isRecorded = true;
  };
  const pieces = new TransformStream<StreamPart, StreamPart>({
    async transform(original, controller) {
      const part = rename(original);
      if (part.type === "text-delta") {
        const known = content.get(part.id);
        content.set(part.id, {
          type: "text",
          text: `${known?.type === "text" ? known.text : ""}${part.delta}`,
        });
      } else if (part.type === "tool-call") content.set(part.toolCallId, part);
      else if (part.type === "finish") {
        await onUsage(part.usage);
        await end();
      }
      controller.enqueue(part);
    },
    flush: end,
  });
  return stream.pipeThrough(pieces);
}

/** The fields of a `prepareStep` argument that we read. */
export interface Step {
  messages: ModelMessage[];
  steps: readonly unknown[];
  instructions?: Instructions | undefined;
  model: LanguageModel;
}

/** Never changes the step: the middleware drops compacted messages from the prompt. */
export type PrepareStep = (step: Step) => Promise<undefined>;

export interface StepParts extends Parts {
  /** Answers the warning and writes the summary. */
  modelOf: (step: Step) => LanguageModel;
}

/** Before each step: stores new messages, then clears, warns and compacts as needed. */
export function prepareStepFor({ agent, setting, emit, report, modelOf }: StepParts): PrepareStep {
  const never = new AbortController().signal;
  const { conversation } = agent;
  const signalOf = ({ steps }: Step) => (steps.length > 0 ? conversation.signal : undefined) ?? never;
  const prepare = async (step: Step) => {
    const { messages, steps, instructions } = step;
    if (steps.length > 0 && conversation.placed === 0) throw middlewareMissing();
    const base = textOf(instructions);
    const start = messages.findIndex(({ role }) => role !== "system");
    const conversationNow = start === -1 ? [] : messages.slice(start);
    const frame = { agent, setting, emit, base, model: modelOf(step), signal: signalOf(step) };
    await makeRoomForCall({ ...frame, messages: conversationNow });
  };
  return async (step) => {
    try {
      await agent.exclusive(() => prepare(step));
    } catch (error) {
      // The SDK handles aborts itself.
      if (!signalOf(step).aborted) report(error);
    }
    return undefined;
  };
}

function middlewareMissing(): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    "The model is not wrapped with holdfastMiddleware, so compacted messages would stay in its prompt. Use the model that holdfast() returns, or wrapLanguageModel({ model, middleware: holdfastMiddleware(session) }).",
  );
}

function textOf(instructions: Instructions | undefined): string {
  if (instructions === undefined || typeof instructions === "string") return instructions ?? "";
  return [instructions]
    .flat()
    .map(({ content }) => content)
    .join("\n\n");
}
