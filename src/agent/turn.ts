import { goOnText } from "../compaction/notices.ts";
import { readEpoch } from "../engine/conversation.ts";
import { HoldfastError } from "../errors.ts";
import { memoryToolSet } from "./agent-tools.ts";
import { answerCalls, continueOnFailure, finishPendingCalls, storeAnswer, type TurnRun } from "./answer.ts";
import { callModel, isOverflow, type ModelAnswer } from "./call-model.ts";
import { runCompaction } from "./compact.ts";
import { foldWhenCold } from "./fold.ts";
import { makeRoom } from "./make-room.ts";
import { placeUnseenChanges } from "./place-changes.ts";

export interface TurnResult {
  text: string;
  steps: number;
  /** `done`: the model made no more calls. `steps`: the turn reached `maxSteps`. */
  end: "done" | "steps";
  wroteMemory: boolean;
  compacted: boolean;
}

const asSystem = { actor: { kind: "system" as const } };

/** Growth assumed before the first measurement. */
const firstGrowth = 0;

/** Calls the model until it makes no more tool calls, and makes room when needed. */
export async function runTurn(run: TurnRun): Promise<TurnResult> {
  const { agent, setting } = run;
  await finishPendingCalls(run);
  let growth = firstGrowth;
  let lastTotal = 0;
  let compacted = false;
  const result = (text: string, steps: number, end: TurnResult["end"]): TurnResult => ({
    text,
    steps,
    end,
    wroteMemory: run.wroteMemory ?? false,
    compacted,
  });
  const maxSteps = setting.options.maxSteps ?? 50;
  for (let step = 1; step <= maxSteps; step++) {
    run.signal.throwIfAborted();
    await continueOnFailure(run, () => agent.refresh());
    await continueOnFailure(run, () => placeUnseenChanges(run));
    await continueOnFailure(run, () => foldWhenCold(run));
    const madeRoom = (await continueOnFailure(run, () => makeRoom(run, growth))) ?? false;
    await continueAfterWarning(run);
    const { answer, total, overflowed } = await callWithinWindow(run);
    compacted ||= madeRoom || overflowed;
    // Growth per step can only be measured within an epoch.
    if (lastTotal > 0 && total > lastTotal && !madeRoom && !overflowed) growth = total - lastTotal;
    lastTotal = total;
    if (answer.toolCalls.length === 0) return result(answer.text, step, "done");
    await answerCalls(run, answer);
    if (run.isOver()) return result(answer.text, step, "done");
  }
  return result("", maxSteps, "steps");
}

/** The agent's answer to a warning does not end the turn, so tell the agent to continue if the prompt ends with it. */
async function continueAfterWarning({ agent, steer, base }: TurnRun): Promise<void> {
  const { prompt, state } = await agent.prompt({ base, steer });
  if (prompt.messages.at(-1)?.role !== "assistant") return;
  const before = state.row.counters.lastMessage + 1;
  await agent.session.apply(
    { type: "context.tell", before, text: goOnText, percent: readEpoch(state).told },
    asSystem,
  );
}

/** Calls the model; if the provider rejects the prompt as too long, compacts and retries. */
async function callWithinWindow(
  run: TurnRun,
): Promise<{ answer: ModelAnswer; total: number; overflowed: boolean }> {
  const { agent, setting, signal, emit, model } = run;
  const tools = { ...setting.options.tools, ...memoryToolSet(agent.tools) };
  for (let attempt = 1; ; attempt++) {
    const now = await agent.prompt(run);
    const { prompt, usage } = now;
    try {
      const answer = await callModel({ model, prompt, tools, signal, emit });
      await storeAnswer(run, answer, now);
      return { answer, total: answer.reported.inputTokens ?? usage.total, overflowed: attempt > 1 };
    } catch (error) {
      if (signal.aborted || !isOverflow(error)) throw error;
      const skipped = "the provider refused the prompt as too long";
      if (attempt > 3 || !(await runCompaction({ ...run, trigger: "overflow", skipped })))
        throw tooLong(error);
    }
  }
}

function tooLong(cause: unknown): HoldfastError {
  return new HoldfastError(
    "over_limit",
    "The provider rejects the prompt as too long, and nothing is left to compact. Nothing was lost: send a shorter message, use fewer tools or a shorter notepad, or choose a model with a larger context window.",
    { cause },
  );
}
