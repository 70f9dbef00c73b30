import {
  type FinishReason,
  generateText,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage,
  type SystemModelMessage,
  streamText,
  type ToolChoice,
  type ToolSet,
} from "ai";
import type { Prompt } from "../context/prompt.ts";
import { withSystemRole } from "../context/prompt.ts";
import { cacheKindOf, planCacheMarks, withCacheKey, withCacheMark } from "../context/prompt-cache.ts";
import { isObject } from "../engine/json.ts";
import { dotless } from "../surfaces/toolbox.ts";
import type { AgentEvent, ReportedUsage } from "./events.ts";
import type { ModelOptions } from "./options.ts";

export interface ModelAnswer {
  /** The model's text and tool calls, ready to be stored. */
  messages: ModelMessage[];
  text: string;
  toolCalls: AskedCall[];
  reported: ReportedUsage;
  finish: FinishReason;
  /** The request's body if the provider reports it, or else the prompt. */
  sent: unknown;
}

type Step = Awaited<ReturnType<typeof streamText>["finalStep"]>;

export interface ModelCall {
  model: LanguageModel;
  prompt: Pick<Prompt, "system" | "messages" | "parts" | "instructions">;
  tools: ToolSet;
  modelOptions: ModelOptions;
  toolChoice?: ToolChoice<ToolSet> | undefined;
  /** The session's id, if the provider is asked to cache the prompt. */
  cache: string | undefined;
  signal: AbortSignal;
}

/** Calls the model once. Offers the tools but does not run them; the controller does. */
export async function callModel(
  call: ModelCall & { emit: (event: AgentEvent) => void },
): Promise<ModelAnswer> {
  let failure: unknown;
  let ended: Step | undefined;
  const stream = streamText({
    ...requestOf(call),
    include: { requestBody: true },
    // The result's own promises would each copy the stream and read it again.
    onStepEnd: (step) => {
      ended = step;
    },
    onError: ({ error }) => {
      failure = error;
    },
  });
  const toolCalls: AskedCall[] = [];
  for await (const part of stream.fullStream) {
    if (part.type === "text-delta") call.emit({ type: "text", text: part.text });
    else if (part.type === "tool-call") {
      const problem = part.invalid
        ? String((part.error as Error | undefined)?.message ?? part.error)
        : undefined;
      toolCalls.push({
        id: part.toolCallId,
        tool: part.toolName,
        input: part.input,
        ...(problem ? { problem } : {}),
      });
    } else if (part.type === "error") failure = part.error;
    else if (part.type === "abort") failure = new DOMException("The turn was aborted.", "AbortError");
  }
  if (failure !== undefined) throw failure;
  // Without a step the SDK's own promise has the reason.
  const { usage, request, response, text, finishReason } = ended ?? (await stream.finalStep);
  // Keep only the model's messages: we answer calls that the SDK rejected ourselves.
  const messages = response.messages.filter(({ role }) => role === "assistant");
  return {
    ...sanitiseAnswer({ messages, toolCalls, finish: finishReason, offered: Object.keys(call.tools) }),
    text,
    reported: reportedBy(usage),
    finish: finishReason,
    sent: request.body ?? [call.prompt.system, call.prompt.messages],
  };
}

/** Asks for a text at the end of a prompt. The tools are part of the prompt, but must not be called. */
export async function askForText(call: ModelCall): Promise<{ text: string; reported: ReportedUsage }> {
  const { text, usage } = await generateText({
    ...requestOf(call),
    ...noToolChoice(call.model),
    maxRetries: 1,
  });
  return { text, reported: reportedBy(usage) };
}

/** The request with marks or a key for the provider's cache. */
function requestOf({ model, prompt, tools, modelOptions, toolChoice, cache, signal }: ModelCall) {
  const request = { ...modelOptions, model, abortSignal: signal, ...(toolChoice ? { toolChoice } : {}) };
  const offered = withoutExecution(tools);
  const system: SystemModelMessage[] =
    prompt.system === "" ? [] : [{ role: "system", content: prompt.system }];
  const conversation = withSystemRole(prompt, providerOf(model));
  const plain = {
    ...request,
    instructions: prompt.system,
    messages: conversation,
    allowSystemInMessages: conversation !== prompt.messages,
    tools: offered,
  };
  const kind = cache === undefined ? "none" : cacheKindOf(providerOf(model));
  if (kind === "none" || cache === undefined) return plain;
  if (kind === "key") {
    // The SDK types these options as JSON; they are the caller's own and a text.
    const providerOptions = withCacheKey(
      modelOptions.providerOptions,
      cache,
    ) as ModelOptions["providerOptions"];
    return { ...plain, ...(providerOptions ? { providerOptions } : {}) };
  }
  const messages: (SystemModelMessage | ModelMessage)[] = [...system, ...prompt.messages];
  const summary = prompt.parts.indexOf("summaries");
  const plan = planCacheMarks(
    messages,
    Object.values(offered),
    summary < 0 ? undefined : system.length + summary,
  );
  const marked = messages.map((message, at) => (plan.messages.has(at) ? withCacheMark(message) : message));
  return {
    ...plain,
    instructions: marked.slice(0, system.length) as SystemModelMessage[],
    messages: marked.slice(system.length) as ModelMessage[],
    tools: plan.tools ? markLast(offered) : offered,
  };
}

/** Anthropic drops the tools, and with them the cached prompt, when no tool may be called. */
function noToolChoice(model: LanguageModel): { toolChoice?: "none" } {
  return cacheKindOf(providerOf(model)) === "marks" ? {} : { toolChoice: "none" };
}

/** The provider's counts. The SDK fills in 0 cached tokens where the provider reported none; that is not a count. */
export function reportedBy(usage: LanguageModelUsage): ReportedUsage {
  const { inputTokens, outputTokens, inputTokenDetails, raw } = usage;
  const { cacheReadTokens, cacheWriteTokens } = inputTokenDetails;
  const isFilledIn = cacheReadTokens === 0 && raw !== undefined && !/cache/i.test(JSON.stringify(raw));
  return {
    inputTokens,
    outputTokens,
    cachedTokens: isFilledIn ? undefined : cacheReadTokens,
    cacheWriteTokens,
  };
}

/** The provider's name, or a gateway's name of the model, which begins with it. */
export function providerOf(model: LanguageModel): string {
  return typeof model === "string" ? model : model.provider;
}

function markLast(tools: ToolSet): ToolSet {
  const entries = Object.entries(tools);
  return Object.fromEntries(
    entries.map(([name, tool], at) => [name, at === entries.length - 1 ? withCacheMark(tool) : tool]),
  ) as ToolSet;
}

/** The SDK runs every tool that has `execute`, so each call would run twice. */
function withoutExecution(tools: ToolSet): ToolSet {
  return Object.fromEntries(
    Object.entries(tools).map(([name, { execute: _execute, ...offered }]) => [
      name,
      offered as ToolSet[string],
    ]),
  );
}

/** A call as the model asked for it. */
export interface AskedCall {
  id: string;
  tool: string;
  input: unknown;
  /** Why it cannot be run. */
  problem?: string;
}

interface Answer {
  messages: ModelMessage[];
  toolCalls: AskedCall[];
  finish: FinishReason;
  /** The names of the tools that the model could call. */
  offered: readonly string[];
}

/**
 * An answer that can be sent back to any provider: calls have a name that was offered and an object as arguments. An
 * answer that a filter stopped makes no calls.
 */
function sanitiseAnswer(answer: Answer): Pick<Answer, "messages" | "toolCalls"> {
  if (answer.finish === "content-filter")
    return { messages: answer.messages.map(withoutCalls), toolCalls: [] };
  const nameOf = (tool: string) => (answer.offered.includes(dotless(tool)) ? dotless(tool) : tool);
  return {
    messages: answer.messages.map((message) => withCleanCalls(message, nameOf)),
    toolCalls: answer.toolCalls.map((call) => {
      const tool = nameOf(call.tool);
      if (!isObject(call.input))
        return { id: call.id, tool, input: {}, problem: problemOf(call, answer.finish) };
      // The SDK knows only one of the two spellings.
      return tool === call.tool ? call : { id: call.id, tool, input: call.input };
    }),
  };
}

function problemOf({ input }: AskedCall, finish: FinishReason): string {
  if (finish === "length")
    return "the answer reached the output limit in the middle of this call. Call it again with less text, or in several calls.";
  const kind = input === null ? "null" : Array.isArray(input) ? "an array" : typeof input;
  const got = typeof input === "string" ? "text that is not a JSON object" : kind;
  return `its arguments must be a JSON object, but they were ${got}. Call it again with an object.`;
}

function withCleanCalls(message: ModelMessage, nameOf: (tool: string) => string): ModelMessage {
  if (message.role !== "assistant" || typeof message.content === "string") return message;
  const content = message.content.map((part) => {
    if (part.type !== "tool-call") return part;
    return { ...part, toolName: nameOf(part.toolName), input: isObject(part.input) ? part.input : {} };
  });
  return { ...message, content };
}

function withoutCalls(message: ModelMessage): ModelMessage {
  if (message.role !== "assistant" || typeof message.content === "string") return message;
  return { ...message, content: message.content.filter(({ type }) => type !== "tool-call") };
}

/** Whether a provider rejected a call because the prompt was too long. */
export function isOverflow(error: unknown): boolean {
  const seen = new Set<unknown>();
  // A provider's error in mid-stream is plain data.
  for (let at = error; isObject(at) && !seen.has(at); at = at.cause ?? at.lastError) {
    seen.add(at);
    const { message = "", responseBody = "", data, statusCode } = at;
    const said =
      at instanceof Error ? `${message} ${responseBody} ${JSON.stringify(data) ?? ""}` : JSON.stringify(at);
    // Rate limit errors mention tokens too, but they call for waiting, not for a shorter prompt.
    if (statusCode !== 429 && overflowWords.test(said)) return true;
  }
  return false;
}

/** The messages of providers and local servers. */
const overflowWords =
  /context[_ ]length[_ ]exceeded|maximum (?:context|prompt)|context (?:window|length|size|limit)|(?:prompt|input) (?:is )?too long|too many (?:input )?tokens|exceeds? the (?:model|maximum|context)|input token count|request too large|token limit/i;
