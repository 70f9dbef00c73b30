import { type LanguageModel, type LanguageModelMiddleware, type ModelMessage, wrapLanguageModel } from "ai";
import type { AgentSetting } from "../../agent/agent-session.ts";
import { isOverflow } from "../../agent/call-model.ts";
import { runCompaction } from "../../agent/compact.ts";
import { foldWhenCold } from "../../agent/fold.ts";
import { placeUnseenChanges } from "../../agent/place-changes.ts";
import type { Session } from "../../sessions/session.ts";
import type { CallerSession } from "./caller-session.ts";
import { createNudge } from "./nudge-turn.ts";
import type { Listeners } from "./options.ts";
import { hearAnswer, hearStream } from "./record-answer.ts";
import { withBytes } from "./without-bytes.ts";

type CallOptions = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"];
type PromptMessage = CallOptions["prompt"][number];

/** A caller's conversation, how it is to be shown, and who hears of it. */
export interface Parts extends Listeners {
  agent: CallerSession;
  setting: AgentSetting;
}

/**
 * Puts memory into each prompt on its way to the model, and nowhere else: neither the caller's messages nor what
 * comes back ever holds a word of it.
 */
export function memoryMiddleware({ agent, setting, emit, report }: Parts): LanguageModelMiddleware {
  /** Placed prompts, and what they were made of; a call that is not here is none of the conversation's. */
  const originals = new WeakMap<CallOptions, CallOptions>();
  const nudge = createNudge(setting, emit);

  const place = async (params: CallOptions): Promise<CallOptions> => {
    agent.signal = params.abortSignal;
    const { instructions, conversation } = divide(params.prompt);
    await agent.refresh();
    await agent.follow(conversation.map(toModelMessage));
    await placeUnseenChanges(agent, setting);
    await foldWhenCold(agent, setting);
    const { prompt } = await agent.plan(nudge(agent, await agent.session.state()), "");
    const placed = {
      ...params,
      prompt: [...withMemory(instructions, prompt.system), ...prompt.messages.map(toPromptMessage)],
    };
    originals.set(placed, params);
    placedPrompts.set(agent.session, countPlacedPrompts(agent.session) + 1);
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
        const canCompact =
          original && attempt <= 3 && Number.isFinite(setting.policy.contextWindow) && isOverflow(error);
        const placed = canCompact ? await compactAndPlace(original).catch(report) : undefined;
        if (!placed) throw error;
        call = () => again(placed);
      }
    }
  };

  const compactAndPlace = (params: CallOptions): Promise<CallOptions | undefined> =>
    agent.exclusive(async () => {
      // Another call on this conversation may have been here in the meantime.
      await agent.follow(divide(params.prompt).conversation.map(toModelMessage));
      const skipWarning = "the provider refused the prompt as too long";
      const signal = params.abortSignal ?? new AbortController().signal;
      const done = await runCompaction({ agent, setting, signal, emit, trigger: "overflow", skipWarning });
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

function divide(prompt: PromptMessage[]): { instructions: PromptMessage[]; conversation: PromptMessage[] } {
  const start = prompt.findIndex(({ role }) => role !== "system");
  const end = start === -1 ? prompt.length : start;
  return { instructions: prompt.slice(0, end), conversation: prompt.slice(end) };
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

function toPromptMessage(planned: ModelMessage): PromptMessage {
  const message = withBytes(planned);
  if (message.role === "user" && typeof message.content === "string") {
    return { ...message, content: [{ type: "text", text: message.content }] };
  }
  return message as PromptMessage;
}

const placedPrompts = new WeakMap<Session, number>();

/** How many prompts of a session have passed the middleware in this process. */
export function countPlacedPrompts(session: Session): number {
  return placedPrompts.get(session) ?? 0;
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
