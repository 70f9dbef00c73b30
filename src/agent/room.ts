import type { ModelMessage } from "ai";
import { type ClearableResult, estimateCallsLeft, planClearing } from "../compaction/clearing.ts";
import { expectedGrowth, hasRoomToWarn, planNextStep, type Usage } from "../compaction/usage.ts";
import { nowhereToSave, warningFor } from "../compaction/warning.ts";
import { messageOfPart, toolResultsOf } from "../context/conversation.ts";
import type { FittedContext } from "../context/memory-share.ts";
import { defaultClearing } from "../engine/agent-defaults.ts";
import { readEpoch, readLearned } from "../engine/conversation.ts";
import type { CompactionTrigger } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import { oneLine } from "../engine/text.ts";
import { dotless } from "../surfaces/toolbox.ts";
import { answerCalls, storeAnswer } from "./answer.ts";
import { callModel } from "./call.ts";
import { type CompactionRun, cutFor, runCompaction } from "./compact.ts";
import { type PromptNow, warningIn } from "./conversation.ts";
import { fitForWarning, fitNewest, fitResults } from "./fit.ts";
import type { AgentConfig } from "./options.ts";
import { asSystem, cacheOf, modelName, type TurnRun } from "./run.ts";
import { refreshWhenLarge, showNews } from "./shown.ts";
import { warningTools } from "./tools.ts";

/** Max model calls in one warning turn. */
const warningSteps = 6;

type CutPlan = Required<Pick<CompactionRun, "trigger" | "growth" | "incoming">>;

/** Shortens, clears, warns and compacts, in that order and only as needed. */
export async function makeRoom(run: TurnRun): Promise<boolean> {
  const { agent, config } = run;
  await fitResults(run);
  await clearWhenItPays(run);
  await refreshWhenLarge(run);
  const { usage, state } = await agent.prompt(run);
  const { warning } = readEpoch(state);
  const next = planNextStep(usage.total, growthOf(run, state), warning, config.policy);
  const isNeeded = next.step !== "call" && !(warning === "none" && (await clearInstead(run)));
  const compacted = isNeeded && (await compactNow(run, next.trigger));
  await fitNewest(run);
  return compacted;
}

/** Compacts before a message is added that would leave no room to warn the agent. */
export async function makeRoomFor(run: TurnRun, message: ModelMessage): Promise<boolean> {
  const { agent, config } = run;
  const { policy, messageTokens, tokenizer } = config;
  const incoming = messageTokens(message) * tokenizer.ratio;
  const rough = agent.roughTotal ?? Number.POSITIVE_INFINITY;
  // Counting is the slowest part of a turn.
  if (rough + incoming < policy.contextWindow / 2) return false;
  const { usage } = await agent.prompt(run);
  if (hasRoomToWarn(usage.total + incoming, policy)) return false;
  return compactNow(run, "projected", incoming);
}

function growthOf({ model, config }: TurnRun, state: State): number {
  return expectedGrowth(readLearned(state, modelName(model)), config.policy);
}

/**
 * Every compaction passes here: warn the agent if there is room for it, then compact. `incoming` are the tokens of a
 * message that is about to be added.
 */
export async function compactNow(run: TurnRun, cause: CompactionTrigger, incoming = 0): Promise<boolean> {
  const { agent, config } = run;
  const now = await agent.prompt(run);
  const trigger = triggerFor(now.state, cause);
  const { warning } = readEpoch(now.state);
  const plan = { trigger, incoming, growth: growthOf(run, now.state) };
  if (warning !== "given" && !freesEnough(now, config, plan)) return false;
  const canSave = warningFor(now.context.surfaces) !== "";
  const isDue = canSave && (warning === "none" || isUnanswered(now.state));
  const isSqueezed = isDue && (await fitForWarning(run));
  const { usage } = await agent.prompt(run);
  if (isDue && hasRoomToWarn(usage.total, config.policy)) await warn(run, trigger);
  const skipped = canSave ? "there was no room left for it" : nowhereToSave;
  return runCompaction({ ...run, ...plan, isSqueezed, skipped });
}

/** In a sub-session, a full window is reported as the trigger "sub-session". */
function triggerFor({ row }: State, cause: CompactionTrigger): CompactionTrigger {
  const isWindowFull = cause === "threshold" || cause === "projected";
  return isWindowFull && row.parent !== null ? "sub-session" : cause;
}

/** A compaction that frees almost nothing would repeat on every call, so it waits as long as the prompt fits. */
function freesEnough(now: PromptNow, config: AgentConfig, plan: CutPlan): boolean {
  const to = cutFor(now, config, plan);
  if (to === undefined) return false;
  const { contextWindow, outputReserve } = config.policy;
  const removed = now.prompt.conversation.filter(({ number }) => number <= to);
  const freed =
    removed.reduce((sum, { message }) => sum + config.messageTokens(message), 0) * config.tokenizer.ratio;
  const isTooLong = now.usage.total + plan.incoming + outputReserve > contextWindow;
  const isAsked = plan.trigger === "manual" || plan.trigger === "tasks";
  return isAsked || freed >= contextWindow * (isTooLong ? 0.05 : 0.1);
}

/** Whether the warning has no answer yet, for example because the process died right after placing it. */
function isUnanswered(state: State): boolean {
  return (warningIn(state)?.before ?? 0) > state.row.counters.lastMessage;
}

/** Gives the agent a turn in which only its memory tools work, to save what it needs. */
async function warn(run: TurnRun, trigger: CompactionTrigger): Promise<void> {
  const { agent, config, signal, emit } = run;
  await showNews(run);
  const state = await agent.session.state();
  if (!isUnanswered(state)) {
    const before = state.row.counters.lastMessage + 1;
    const context = agent.context(state);
    const text = [warningFor(context.surfaces), ...condenseLines(context)].join("\n");
    await agent.session.apply({ type: "context.warn", trigger, before, text }, asSystem);
  }
  emit({ type: "warning", trigger });
  const tools = warningTools(run);
  try {
    for (let step = 0; step < warningSteps; step++) {
      const now = await agent.prompt(run);
      const { prompt, usage } = now;
      // The agent's writes so far are saved.
      if (usage.total + config.policy.outputReserve > config.policy.contextWindow) return;
      const { modelOptions } = config;
      const cache = cacheOf(run);
      const answer = await callModel({ model: run.model, prompt, tools, modelOptions, cache, signal, emit });
      await storeAnswer(run, answer, now, true);
      if (answer.toolCalls.length === 0) return;
      await answerCalls(run, answer, true);
      await showNews(run);
    }
  } catch (error) {
    if (signal.aborted) throw error;
    // The compaction goes on. The receipt does not claim a warning that the agent never answered.
    const message = `The warning turn failed: ${(error as Error).message}`;
    emit({ type: "error", message });
    if (!isUnanswered(await agent.session.state())) return;
    const reason = oneLine(message, 200);
    await agent.session.apply({ type: "context.skip_warning", trigger, reason }, asSystem);
  }
}

/** Asks the agent to condense memory that is too long to be shown whole. */
function condenseLines({ shortened }: FittedContext): string[] {
  return shortened.map(
    ({ surface, tokens, shown, fitting }) =>
      `Your ${surface} takes ${tokens} tokens, and only ${shown} of them are shown. Condense it to about ${fitting} characters now.`,
  );
}

/** Clears old results when the savings over the rest of the epoch exceed the cost. */
async function clearWhenItPays(run: TurnRun): Promise<void> {
  const { results } = await plan(run);
  await clear(run, results);
}

/** Clearing replaces a compaction if it gets the prompt below this share of the threshold. */
const clearedShare = 0.75;

/**
 * Clears all old results if that frees enough room to avoid a compaction. Clearing loses nothing, and a compaction
 * would rewrite the whole prompt too.
 */
async function clearInstead(run: TurnRun): Promise<boolean> {
  const { results, usage } = await plan(run, { isFree: true });
  const { policy, tokenizer } = run.config;
  const saved = results.reduce(
    (sum, { tokens, summary }) => sum + tokens - run.config.countTokens(summary),
    0,
  );
  if (usage.total - saved * tokenizer.ratio > policy.contextWindow * policy.compactAt * clearedShare)
    return false;
  await clear(run, results);
  return results.length > 0;
}

async function plan(
  { agent, config, base }: TurnRun,
  { isFree = false } = {},
): Promise<{ results: ClearableResult[]; usage: Usage }> {
  const { state, prompt, usage, messages: stored } = await agent.prompt({ base });
  const policy = { ...defaultClearing, ...config.options.clearing };
  // If all results together are this small, no single one is worth clearing.
  const isTooLittle = usage.results < policy.leastTokens * config.tokenizer.ratio;
  // Nothing is cleared that the agent cannot get back.
  const canRecall = agent.tools.some(({ name }) => name === "recall_result");
  if (config.options.clearing === false || isTooLittle || !canRecall) return { results: [], usage };
  // Without collapsed tasks: they take no room, so there is nothing to clear in them.
  const messages = prompt.conversation;
  const originals = new Map(stored.map((message) => [message.number, message]));
  const room = config.policy.contextWindow * config.policy.compactAt - usage.total;
  const results = planClearing({
    state,
    messages,
    originalOf: (key) => {
      const holder = originals.get(messageOfPart(key) ?? 0);
      return holder && toolResultsOf(holder).find((result) => result.key === key)?.text;
    },
    // The prompt is rewritten anyway.
    callsLeft: isFree ? undefined : estimateCallsLeft(messages, room, config.countTokens),
    memoryTools: new Set(agent.tools.map(({ name }) => dotless(name))),
    writingTools: new Set(agent.tools.flatMap(({ name, readOnly }) => (readOnly ? [] : [dotless(name)]))),
    countTokens: config.countTokens,
    policy,
  });
  return { results, usage };
}

async function clear({ agent, emit }: TurnRun, results: readonly ClearableResult[]): Promise<void> {
  if (results.length === 0) return;
  await agent.session.apply(
    {
      type: "context.clear",
      results: results.map(({ tokens: _tokens, finding: _finding, ...result }) => result),
    },
    asSystem,
  );
  await agent.notify({ kind: "cleared", results }, emit);
  emit({
    type: "clearing",
    results: results.length,
    tokens: results.reduce((sum, { tokens }) => sum + tokens, 0),
  });
}
