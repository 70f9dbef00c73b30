import type { ModelMessage } from "ai";
import { expectedGrowth } from "../compaction/growth.ts";
import { warningFor, warningStart } from "../compaction/notices.ts";
import { hasRoomToWarn, planNextStep } from "../compaction/usage.ts";
import type { FittedContext } from "../context/memory-share.ts";
import { readEpoch, readInjections, readLearned } from "../engine/conversation.ts";
import type { CompactionTrigger } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import type { PromptNow } from "./agent-session.ts";
import { answerCalls, cacheOf, modelName, storeAnswer, type TurnRun } from "./answer.ts";
import { callModel } from "./call-model.ts";
import { clearInstead, clearWhenItPays } from "./clear-results.ts";
import { type CompactionRun, cutFor, runCompaction } from "./compact.ts";
import { fitForWarning, fitNewest, fitResults } from "./fit.ts";
import type { AgentSetting } from "./setting.ts";
import { refreshWhenLarge, showNews } from "./shown.ts";
import { warningTools } from "./warning-tools.ts";

/** Max model calls in one warning turn. */
const warningSteps = 6;

type CutPlan = Required<Pick<CompactionRun, "trigger" | "growth" | "incoming">>;

const asSystem = { actor: { kind: "system" as const } };

/** Shortens, clears, warns and compacts, in that order and only as needed. */
export async function makeRoom(run: TurnRun): Promise<boolean> {
  const { agent, setting } = run;
  await fitResults(run);
  await clearWhenItPays(run);
  await refreshWhenLarge(run);
  const { usage, state } = await agent.prompt(run);
  const { warning } = readEpoch(state);
  const next = planNextStep(usage.total, growthOf(run, state), warning, setting.policy);
  const isNeeded = next.step !== "call" && !(warning === "none" && (await clearInstead(run)));
  const compacted = isNeeded && (await compactNow(run, next.trigger));
  await fitNewest(run);
  return compacted;
}

/** Compacts before a message is added that would leave no room to warn the agent. */
export async function makeRoomFor(run: TurnRun, message: ModelMessage): Promise<boolean> {
  const { agent, setting } = run;
  const { policy, messageTokens, tokenizer } = setting;
  const incoming = messageTokens(message) * tokenizer.ratio;
  const rough = agent.roughTotal ?? Number.POSITIVE_INFINITY;
  // Counting is the slowest part of a turn.
  if (rough + incoming < policy.contextWindow / 2) return false;
  const { usage } = await agent.prompt(run);
  if (hasRoomToWarn(usage.total + incoming, policy)) return false;
  return compactNow(run, "projected", incoming);
}

function growthOf({ model, setting }: TurnRun, state: State): number {
  return expectedGrowth(readLearned(state, modelName(model)), setting.policy);
}

/**
 * Every compaction passes here: warn the agent if there is room for it, then compact. `incoming` are the tokens of a
 * message that is about to be added.
 */
export async function compactNow(run: TurnRun, cause: CompactionTrigger, incoming = 0): Promise<boolean> {
  const { agent, setting } = run;
  const now = await agent.prompt(run);
  const trigger = triggerFor(now.state, cause);
  const { warning } = readEpoch(now.state);
  const plan = { trigger, incoming, growth: growthOf(run, now.state) };
  if (warning !== "given" && !isWorthwhile(now, setting, plan)) return false;
  const isDue = warning === "none" || isUnanswered(now.state);
  const isSqueezed = isDue && (await fitForWarning(run));
  const { usage } = await agent.prompt(run);
  if (isDue && hasRoomToWarn(usage.total, setting.policy)) await agent.aside(() => warn(run, trigger));
  return runCompaction({ ...run, ...plan, isSqueezed, skipped: "there was no room left for it" });
}

/** In a sub-session, a full window is reported as the trigger "sub-session". */
function triggerFor({ row }: State, cause: CompactionTrigger): CompactionTrigger {
  const isWindowFull = cause === "threshold" || cause === "projected";
  return isWindowFull && row.parent !== null ? "sub-session" : cause;
}

/** A compaction that frees almost nothing would repeat on every call, so it waits as long as the prompt fits. */
function isWorthwhile(now: PromptNow, setting: AgentSetting, plan: CutPlan): boolean {
  const to = cutFor(now, setting, plan);
  if (to === undefined) return false;
  const { contextWindow, outputReserve } = setting.policy;
  const removed = now.prompt.conversation.filter(({ number }) => number <= to);
  const freed =
    removed.reduce((sum, { message }) => sum + setting.messageTokens(message), 0) * setting.tokenizer.ratio;
  const isTooLong = now.usage.total + plan.incoming + outputReserve > contextWindow;
  const isAsked = plan.trigger === "manual" || plan.trigger === "tasks";
  return isAsked || freed >= contextWindow * (isTooLong ? 0.05 : 0.1);
}

/** Whether the warning has no answer yet, for example because the process died right after placing it. */
function isUnanswered(state: State): boolean {
  return readInjections(state).some(
    ({ before, text }) => text.startsWith(warningStart) && before > state.row.counters.lastMessage,
  );
}

/** Gives the agent a turn in which only its memory tools work, to save what it needs. */
async function warn(run: TurnRun, trigger: CompactionTrigger): Promise<void> {
  const { agent, setting, signal, emit } = run;
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
      // What the agent wrote so far is saved.
      if (usage.total + setting.policy.outputReserve > setting.policy.contextWindow) return;
      const { settings } = setting;
      const cache = cacheOf(run);
      const answer = await callModel({ model: run.model, prompt, tools, settings, cache, signal, emit });
      await storeAnswer(run, answer, now, true);
      if (answer.toolCalls.length === 0) return;
      await answerCalls(run, answer, true);
      await showNews(run);
    }
  } catch (error) {
    if (signal.aborted) throw error;
    // The checkpoint is written even if the warning turn fails.
    emit({ type: "error", message: `The warning turn failed: ${(error as Error).message}` });
  }
}

/** Asks the agent to condense memory that is too long to be shown whole. */
function condenseLines({ shortened }: FittedContext): string[] {
  return shortened.map(
    ({ surface, tokens, shown, fitting }) =>
      `Your ${surface} takes ${tokens} tokens, and only ${shown} of them are shown. Condense it to about ${fitting} characters now.`,
  );
}
