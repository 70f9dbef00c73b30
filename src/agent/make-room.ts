import { warningText } from "../compaction/notices.ts";
import { hasRoomToWarn, planNextStep } from "../compaction/usage.ts";
import { readEpoch, readInjections } from "../engine/conversation.ts";
import type { CompactionTrigger } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import type { PromptNow } from "./agent-session.ts";
import { memoryToolSet } from "./agent-tools.ts";
import { answerCalls, storeAnswer, type TurnRun } from "./answer.ts";
import { callModel } from "./call-model.ts";
import { clearInstead, clearWhenItPays } from "./clear-results.ts";
import { cutFor, runCompaction } from "./compact.ts";
import { placeUnseenChanges } from "./place-changes.ts";
import type { AgentSetting } from "./setting.ts";

/** Max model calls in one warning turn. */
const warningSteps = 6;

const asSystem = { actor: { kind: "system" as const } };

/** Clears, warns and compacts, in that order and only as needed. */
export async function makeRoom(run: TurnRun, growth: number): Promise<boolean> {
  const { agent, setting } = run;
  await clearWhenItPays(run);
  const { usage, state } = await agent.prompt(run);
  const { warning } = readEpoch(state);
  const next = planNextStep(usage.total, growth, warning, setting.policy);
  if (next.step === "call" || (warning === "none" && (await clearInstead(run)))) return false;
  return compactNow(run, next.trigger);
}

/** Every compaction passes here: warn the agent if there is room for it, then compact. */
export async function compactNow(run: TurnRun, cause: CompactionTrigger): Promise<boolean> {
  const { agent, setting } = run;
  const now = await agent.prompt(run);
  const trigger = triggerFor(now.state, cause);
  const { warning } = readEpoch(now.state);
  if (warning !== "given" && !isWorthwhile(now, setting, trigger)) return false;
  const isDue = warning === "none" || isUnanswered(now.state);
  if (isDue && hasRoomToWarn(now.usage.total, setting.policy)) await agent.aside(() => warn(run, trigger));
  return runCompaction({ ...run, trigger, skipped: "there was no room left for it" });
}

/** In a sub-session, a full window is reported as the trigger "sub-session". */
function triggerFor({ row }: State, cause: CompactionTrigger): CompactionTrigger {
  const isWindowFull = cause === "threshold" || cause === "projected";
  return isWindowFull && row.parent !== null ? "sub-session" : cause;
}

/** A compaction that frees almost nothing would repeat on every call, so it waits as long as the prompt fits. */
function isWorthwhile(now: PromptNow, setting: AgentSetting, trigger: CompactionTrigger): boolean {
  const to = cutFor(now, setting, trigger);
  if (to === undefined) return false;
  const { contextWindow, outputReserve } = setting.policy;
  const removed = now.prompt.conversation.filter(({ number }) => number <= to);
  const freed =
    removed.reduce((sum, { message }) => sum + setting.messageTokens(message), 0) * setting.tokenizer.ratio;
  return (
    trigger === "manual" || freed >= contextWindow * 0.1 || now.usage.total + outputReserve > contextWindow
  );
}

/** Whether the warning has no answer yet, for example because the process died right after placing it. */
function isUnanswered(state: State): boolean {
  return readInjections(state).some(
    ({ before, text }) => text === warningText && before > state.row.counters.lastMessage,
  );
}

/** Gives the agent a turn with only its memory tools, to save what it needs. */
async function warn(run: TurnRun, trigger: CompactionTrigger): Promise<void> {
  const { agent, signal, emit } = run;
  await placeUnseenChanges(run);
  const state = await agent.session.state();
  if (!isUnanswered(state)) {
    const before = state.row.counters.lastMessage + 1;
    await agent.session.apply({ type: "context.warn", trigger, before, text: warningText }, asSystem);
  }
  emit({ type: "warning", trigger });
  const tools = memoryToolSet(agent.tools);
  try {
    for (let step = 0; step < warningSteps; step++) {
      const now = await agent.prompt(run);
      const { prompt } = now;
      const answer = await callModel({ model: run.model, prompt, tools, signal, emit });
      await storeAnswer(run, answer, now, true);
      if (answer.toolCalls.length === 0) return;
      await answerCalls(run, answer, true);
      await placeUnseenChanges(run);
    }
  } catch (error) {
    if (signal.aborted) throw error;
    // The checkpoint is written even if the warning turn fails.
    emit({ type: "error", message: `The warning turn failed: ${(error as Error).message}` });
  }
}
