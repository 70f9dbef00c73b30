import { type LanguageModel, type LanguageModelMiddleware, type ModelMessage, wrapLanguageModel } from "ai";

import { runCompaction } from "../../agent/compact.ts";
import { foldWhenCold } from "../../agent/fold.ts";
import { isOverflow } from "../../agent/overflow.ts";
import { placeUnseenChanges } from "../../agent/place-changes.ts";
import type { AgentSetting } from "../../agent/setting.ts";
import type { CallerSession } from "./caller-session.ts";
import { createNudge } from "./nudge-turn.ts";
import type { Listeners } from "./options.ts";
import { recordAnswer, recordStream } from "./record-answer.ts";

type CallOptions = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"];
type PromptMessage = CallOptions["prompt"][number];

/** A caller's conversation, its settings, and the listeners for events. */
export interface Parts extends Listeners {
  agent: CallerSession;
  setting: AgentSetting;
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
  /** The original of each prompt with memory; a call that is not in here does not belong to the conversation. */
  const originals = new WeakMap<CallOptions, CallOptions>();
  const nudge = createNudge(setting, emit);

  const addMemory = async (params: CallOptions): Promise<CallOptions> => {
    const { conversation: shared } = agent;
    shared.signal = params.abortSignal;
    const { instructions, base, conversation } = divide(params.prompt);
    await agent.refresh();
    await agent.follow(conversation.map(toModelMessage), base, emit);
    await placeUnseenChanges({ agent, setting });
    await foldWhenCold({ agent, setting });
    const { prompt } = await agent.plan({ steer: nudge(agent, await agent.session.state()), base: "" });
    const placed = {
      ...params,
      prompt: [
        ...withMemory(instructions, prompt.system),
        ...prompt.messages.map((message) => toPromptMessage(shared.bytes.with(message))),
      ],
    };
    originals.set(placed, params);
    shared.placed++;
    return placed;
  };

  /** If the provider rejects a call as too long, compacts and retries. */
  const withinWindow = async <T>(
    params: CallOptions,
    first: () => PromiseLike<T>,
    again: (params: CallOptions) => PromiseLike<T>,
  ): Promise<T> => {
    let call = first;
    for (let attempt = 1; ; attempt++) {
      try {
        return await call();
      } catch (error) {
        const original = originals.get(params);
        const canCompact = original && model && attempt <= 3 && isOverflow(error);
        const placed = canCompact ? await compactAndAddMemory(original, model).catch(report) : undefined;
        if (!placed) throw error;
        call = () => again(placed);
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
      return done ? addMemory(params) : undefined;
    });

  const record = async (answer: ModelMessage) => {
    await agent.store([answer]).catch(report);
  };

  const observe = async (modelId: string, reported: number | undefined) => {
    await agent.observe(modelId, reported).catch(report);
  };

  return {
    specificationVersion: "v4",
    transformParams: async ({ params }) => {
      if (params.providerOptions?.[ownCall]) return withoutMarker(params);
      try {
        return await agent.exclusive(() => addMemory(params));
      } catch (error) {
        report(error);
        return params;
      }
    },
    wrapGenerate: async ({ doGenerate, params, model }) => {
      const result = await withinWindow(params, doGenerate, (placed) => model.doGenerate(placed));
      if (originals.has(params)) {
        await observe(model.modelId, result.usage.inputTokens.total);
        await recordAnswer(result.content, record);
      }
      return result;
    },
    wrapStream: async ({ doStream, params, model }) => {
      const result = await withinWindow(params, doStream, (placed) => model.doStream(placed));
      if (!originals.has(params)) return result;
      const onUsage = (reported: number | undefined) => observe(model.modelId, reported);
      return { ...result, stream: recordStream(result.stream, record, onUsage) };
    },
  };
}

/** Splits a prompt into the caller's instructions, as messages and as one text, and the conversation. */
function divide(prompt: PromptMessage[]) {
  const start = prompt.findIndex(({ role }) => role !== "system");
  const end = start === -1 ? prompt.length : start;
  const instructions = prompt.slice(0, end);
  const base = instructions.map(({ content }) => content).join("\n\n");
  return { instructions, base, conversation: prompt.slice(end) };
}

/** Appends guidance and blocks to the caller's instructions, joined into one system message if possible. */
function withMemory(instructions: PromptMessage[], memory: string): PromptMessage[] {
  if (memory === "") return instructions;
  const last = instructions.at(-1);
  // Keep a message with provider options (e.g. a cache marker) unchanged.
  if (last?.role !== "system" || last.providerOptions)
    return [...instructions, { role: "system", content: memory }];
  return [...instructions.slice(0, -1), { role: "system", content: `${last.content}\n\n${memory}` }];
}

/** Prompt messages have the same parts as model messages, except that user content is always a list. */
function toModelMessage(message: PromptMessage): ModelMessage {
  const [only, ...others] = message.role === "user" ? message.content : [];
  if (message.role === "user" && only?.type === "text" && others.length === 0 && !only.providerOptions) {
    return { ...message, content: only.text };
  }
  return message as ModelMessage;
}

function toPromptMessage(message: ModelMessage): PromptMessage {
  if (message.role === "user" && typeof message.content === "string") {
    return { ...message, content: [{ type: "text", text: message.content }] };
  }
  return message as PromptMessage;
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
