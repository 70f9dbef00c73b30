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

/** Model calls in one warning turn. */
const warningSteps = 6;

const asSystem = { actor: { kind: "system" as const } };

/** Clears, warns and compacts, in that order and only as far as needed. */
export async function makeRoom(run: TurnRun, growth: number): Promise<boolean> {
  const { agent, setting } = run;
  await clearWhenItPays(run);
  const { usage, state } = await agent.prompt(run);
  const { warning } = readEpoch(state);
  const next = planNextStep(usage.total, growth, warning, setting.policy);
  if (next.step === "call" || (warning === "none" && (await clearInstead(run)))) return false;
  return compactNow(run, next.trigger);
}

/** The one gate: the agent is warned while there is room for it, and then the compaction runs. */
export async function compactNow(run: TurnRun, asked: CompactionTrigger): Promise<boolean> {
  const { agent, setting } = run;
  const now = await agent.prompt(run);
  const trigger = triggerFor(now.state, asked);
  const { warning } = readEpoch(now.state);
  if (warning !== "given" && !isWorthwhile(now, setting, trigger)) return false;
  const isDue = warning === "none" || isUnanswered(now.state);
  if (isDue && hasRoomToWarn(now.usage.total, setting.policy)) await agent.aside(() => warn(run, trigger));
  return runCompaction({ ...run, trigger, skipped: "there was no room left for it" });
}

/** A full window in a session that another one started is that one's doing. */
function triggerFor({ row }: State, asked: CompactionTrigger): CompactionTrigger {
  const isOwnPace = asked === "threshold" || asked === "projected";
  return isOwnPace && row.parent !== null ? "sub-session" : asked;
}

/** A compaction that frees next to nothing would only come back with every call; it can wait as long as the prompt fits. */
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

/** A process that died right after the warning has not heard the answer to it. */
function isUnanswered(state: State): boolean {
  return readInjections(state).some(
    ({ before, text }) => text === warningText && before > state.row.counters.lastMessage,
  );
}

/** One more turn for the agent, with nothing but its memory tools, to write down what it needs. */
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
    // The checkpoint is written whether or not the agent could use its warning.
    emit({ type: "error", message: `The warning turn failed: ${(error as Error).message}` });
  }
}
