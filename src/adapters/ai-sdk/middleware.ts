import { type LanguageModel, type LanguageModelMiddleware, type ModelMessage, wrapLanguageModel } from "ai";
import { isOverflow } from "../../agent/call-model.ts";
import { runCompaction } from "../../agent/compact.ts";
import { foldWhenCold } from "../../agent/fold.ts";
import { placeUnseenChanges } from "../../agent/place-changes.ts";
import type { AgentSetting } from "../../agent/setting.ts";
import type { CallerSession } from "./caller-session.ts";
import { createNudge } from "./nudge-turn.ts";
import type { Listeners } from "./options.ts";
import { hearAnswer, hearStream } from "./record-answer.ts";

type CallOptions = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"];
type PromptMessage = CallOptions["prompt"][number];

/** A caller's conversation, how it is shown, and where events go. */
export interface Parts extends Listeners {
  agent: CallerSession;
  setting: AgentSetting;
}

export interface MiddlewareParts extends Parts {
  /** Writes the summary after an overflow; left out where the middleware does not compact. */
  model?: LanguageModel;
}

/**
 * Puts memory into each prompt on its way to the model, and nowhere else: neither the caller's messages nor what
 * comes back ever holds a word of it.
 */
export function memoryMiddleware({
  agent,
  setting,
  emit,
  report,
  model,
}: MiddlewareParts): LanguageModelMiddleware {
  /** Placed prompts, and what they were made of; a call that is not here is none of the conversation's. */
  const originals = new WeakMap<CallOptions, CallOptions>();
  const nudge = createNudge(setting, emit);

  const place = async (params: CallOptions): Promise<CallOptions> => {
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

  /** A call that the provider refuses as too long is made again after a compaction. */
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
        const placed = canCompact ? await compactAndPlace(original, model).catch(report) : undefined;
        if (!placed) throw error;
        call = () => again(placed);
      }
    }
  };

  const compactAndPlace = (params: CallOptions, by: LanguageModel): Promise<CallOptions | undefined> =>
    agent.exclusive(async () => {
      const { base, conversation } = divide(params.prompt);
      // Another call on this conversation may have been here in the meantime.
      await agent.follow(conversation.map(toModelMessage), base, emit);
      const skipped = "the provider refused the prompt as too long";
      const signal = params.abortSignal ?? new AbortController().signal;
      const run = { agent, setting, signal, emit, model: by, base, skipped };
      const done = await runCompaction({ ...run, trigger: "overflow" });
      return done ? place(params) : undefined;
    });

  const hear = async (answer: ModelMessage) => {
    await agent.store([answer]).catch(report);
  };

  return {
    specificationVersion: "v4",
    transformParams: async ({ params }) => {
      if (params.providerOptions?.[ownCall]) return withoutMark(params);
      try {
        return await agent.exclusive(() => place(params));
      } catch (error) {
        report(error);
        return params;
      }
    },
    wrapGenerate: async ({ doGenerate, params, model }) => {
      const result = await withinWindow(params, doGenerate, (placed) => model.doGenerate(placed));
      if (originals.has(params)) await hearAnswer(result.content, hear);
      return result;
    },
    wrapStream: async ({ doStream, params, model }) => {
      const result = await withinWindow(params, doStream, (placed) => model.doStream(placed));
      if (!originals.has(params)) return result;
      return { ...result, stream: hearStream(result.stream, hear) };
    },
  };
}

/** The caller's instructions, as they are and as one text, and the conversation after them. */
function divide(prompt: PromptMessage[]) {
  const start = prompt.findIndex(({ role }) => role !== "system");
  const end = start === -1 ? prompt.length : start;
  const instructions = prompt.slice(0, end);
  const base = instructions.map(({ content }) => content).join("\n\n");
  return { instructions, base, conversation: prompt.slice(end) };
}

/** Guidance and blocks after the caller's instructions, as one system prompt where nothing is lost by that. */
function withMemory(instructions: PromptMessage[], memory: string): PromptMessage[] {
  if (memory === "") return instructions;
  const last = instructions.at(-1);
  // What the caller marked, for a cache for instance, stays as it is.
  if (last?.role !== "system" || last.providerOptions)
    return [...instructions, { role: "system", content: memory }];
  return [...instructions.slice(0, -1), { role: "system", content: `${last.content}\n\n${memory}` }];
}

/** A prompt's messages have the parts of the conversation's, only that a user's words are always a list. */
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

/** The model for calls that Holdfast makes itself: the middleware lets them through as they are. */
export function forOwnCalls(model: LanguageModel): LanguageModel {
  if (typeof model === "string") return model;
  const mark: LanguageModelMiddleware = {
    transformParams: async ({ params }) => ({
      ...params,
      providerOptions: { ...params.providerOptions, [ownCall]: { own: true } },
    }),
  };
  return wrapLanguageModel({ model, middleware: mark });
}

function withoutMark(params: CallOptions): CallOptions {
  const { [ownCall]: _mark, ...providerOptions } = params.providerOptions ?? {};
  return { ...params, providerOptions };
}
