import { type LanguageModel, type LanguageModelMiddleware, type ModelMessage, wrapLanguageModel } from "ai";
import type { PromptNow } from "../../agent/agent-session.ts";
import { modelName } from "../../agent/answer.ts";
import { providerOf } from "../../agent/call-model.ts";
import { runCompaction } from "../../agent/compact.ts";
import type { ReportedUsage } from "../../agent/events.ts";
import { recordTurn } from "../../agent/ledger.ts";
import { isOverflow } from "../../agent/overflow.ts";
import type { AgentSetting } from "../../agent/setting.ts";
import { withSystemRole } from "../../context/system-role.ts";
import type { CallerSession } from "../caller/caller-session.ts";
import { createNudge } from "../caller/nudge-turn.ts";
import type { Listeners } from "../caller/options.ts";
import { planCall } from "../caller/plan-call.ts";
import { type CallOptions, divide, toModelMessage, withMemory } from "../caller/prompt-messages.ts";
import { offeredName, toPromptMessage, withPromptCache } from "./prompt-params.ts";
import { type GenerateResult, recordAnswer, recordStream } from "./record-answer.ts";

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
