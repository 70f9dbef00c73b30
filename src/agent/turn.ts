import type { ToolChoice, ToolSet } from "ai";
import { goOnText } from "../compaction/warning.ts";
import { agentDefaults } from "../engine/agent-defaults.ts";
import { HoldfastError } from "../errors.ts";
import { answerCalls, finishPendingCalls, storeAnswer } from "./answer.ts";
import { callModel, isOverflow, type ModelAnswer } from "./call.ts";
import { runCompaction } from "./compact.ts";
import { fitNewest, requireFit } from "./fit.ts";
import type { AgentConfig } from "./options.ts";
import { makeRoom } from "./room.ts";
import { asSystem, cacheOf, continueOnFailure, type TurnRun } from "./run.ts";
import { refreshWhenCold, showNews } from "./shown.ts";
import { memoryToolSet } from "./tools.ts";

export interface TurnResult {
  text: string;
  steps: number;
  /**
   * `done`: the model answered. `steps`: the turn reached `maxSteps`. `length`: the answer reached the output limit.
   * `filtered`: the provider's filter stopped it.
   */
  end: "done" | "steps" | "length" | "filtered";
  wroteMemory: boolean;
  compacted: boolean;
}

/** Calls the model until it makes no more tool calls, and makes room when needed. */
export async function runTurn(run: TurnRun): Promise<TurnResult> {
  const { agent, config } = run;
  await finishPendingCalls(run);
  let compacted = false;
  const progress = new Progress();
  const result = (text: string, steps: number, end: TurnResult["end"]): TurnResult => ({
    text,
    steps,
    end,
    wroteMemory: run.wroteMemory ?? false,
    compacted,
  });
  const maxSteps = config.options.maxSteps ?? agentDefaults.maxSteps;
  for (let step = 1; step <= maxSteps; step++) {
    run.signal.throwIfAborted();
    await continueOnFailure(run, () => agent.refresh());
    await continueOnFailure(run, () => showNews(run));
    await continueOnFailure(run, () => refreshWhenCold(run));
    const madeRoom = (await continueOnFailure(run, () => makeRoom(run))) ?? false;
    await continueAfterWarning(run);
    const { answer, overflowed } = await callWithinWindow(
      run,
      toolChoiceFor(step, config.options.toolChoice),
    );
    if (madeRoom || overflowed) {
      compacted = true;
      progress.compacted();
    }
    if (answer.toolCalls.length === 0) return result(answer.text, step, endOf(answer, run.emit));
    const results = await answerCalls(run, answer);
    if (run.isOver()) return result(answer.text, step, "done");
    progress.add(answer.toolCalls, results);
  }
  return result("", maxSteps, "steps");
}

/** A forced choice in every call would never let the turn end. */
function toolChoiceFor(
  step: number,
  choice: ToolChoice<ToolSet> | undefined,
): ToolChoice<ToolSet> | undefined {
  const isForced = choice !== undefined && choice !== "auto" && choice !== "none";
  return isForced && step > 1 ? "auto" : choice;
}

/** How the turn ended, reported if the answer is not whole. */
function endOf({ finish }: ModelAnswer, emit: TurnRun["emit"]): TurnResult["end"] {
  if (finish === "length") {
    const message =
      "The answer stops at the output limit. Raise maxOutputTokens, or ask for the rest in another message.";
    emit({ type: "incomplete", reason: "length", message });
    return "length";
  }
  if (finish !== "content-filter") return "done";
  const message = "The provider's content filter stopped the answer. Ask in other words.";
  emit({ type: "incomplete", reason: "filtered", message });
  return "filtered";
}

/** The agent's answer to a warning does not end the turn, so tell the agent to continue if the prompt ends with it. */
async function continueAfterWarning({ agent, steer, base }: TurnRun): Promise<void> {
  const { prompt, state } = await agent.prompt({ base, steer });
  if (prompt.messages.at(-1)?.role !== "assistant") return;
  const before = state.row.counters.lastMessage + 1;
  await agent.session.apply({ type: "context.tell", before, text: goOnText }, asSystem);
}

/** Calls the model; if the provider rejects the prompt as too long, makes it shorter and retries. */
async function callWithinWindow(
  run: TurnRun,
  toolChoice: ToolChoice<ToolSet> | undefined,
): Promise<{ answer: ModelAnswer; overflowed: boolean }> {
  const { agent, config, signal, emit, model } = run;
  const tools = { ...config.options.tools, ...memoryToolSet(agent.tools) };
  const { modelOptions } = config;
  const cache = cacheOf(run);
  let overflowed = false;
  for (let attempt = 1; ; attempt++) {
    const now = await requireFit(run);
    const { prompt, usage } = now;
    try {
      const answer = await callModel({ model, prompt, tools, modelOptions, toolChoice, cache, signal, emit });
      await storeAnswer(run, answer, now);
      return { answer, overflowed };
    } catch (error) {
      if (signal.aborted || !isOverflow(error)) throw error;
      if (attempt > 3) throw tooLong(error);
      const narrower = { ...run, config: withWindow(config, usage.total * assumedShare) };
      const skipped = "the provider refused the prompt as too long";
      const isCompacted = await runCompaction({ ...narrower, trigger: "overflow", skipped });
      await fitNewest(narrower);
      const after = await agent.prompt(run);
      if (!isCompacted && after.usage.total >= usage.total) throw tooLong(error);
      overflowed ||= isCompacted;
    }
  }
}

/** The window is assumed to be this share of a prompt that the provider refused. */
const assumedShare = 0.8;

/** The same config for a smaller window. */
function withWindow(config: AgentConfig, contextWindow: number): AgentConfig {
  const { policy } = config;
  const outputReserve = Math.min(policy.outputReserve, contextWindow * 0.1);
  return { ...config, policy: { ...policy, contextWindow, outputReserve } };
}

function tooLong(cause: unknown): HoldfastError {
  return new HoldfastError(
    "over_limit",
    "The provider rejects the prompt as too long, and nothing is left to compact. Nothing was lost: send a shorter message, use fewer tools or a shorter notepad, or choose a model with a larger context window.",
    { cause },
  );
}

/** Repetitions after which a turn is stuck. */
const maxRepeats = 2;

/**
 * Notices a turn that makes no progress: after a compaction the model repeats a call it has already made and gets the
 * same result, and after the next compaction again. Anything new in between counts as progress.
 */
export class Progress {
  /** The calls with their results, by the epoch of the turn in which they were first seen. */
  readonly #seen = new Map<string, number>();
  #epoch = 0;
  /** The epoch of the last repetition; one epoch counts once, since polling repeats calls too. */
  #repeatedIn = 0;
  #repeats = 0;

  compacted(): void {
    this.#epoch++;
  }

  /** Adds one step's calls and their results. Throws when the turn is stuck. */
  add(calls: readonly { tool: string; input: unknown }[], results: readonly string[]): void {
    const steps = calls.map(({ tool, input }, index) => JSON.stringify([tool, input, results[index]]));
    const isRepeated = (step: string) => (this.#seen.get(step) ?? this.#epoch) < this.#epoch;
    const isOld = steps.length > 0 && steps.every(isRepeated);
    const isNew = steps.some((step) => !this.#seen.has(step));
    for (const step of steps) if (!this.#seen.has(step)) this.#seen.set(step, this.#epoch);
    if (isNew) this.#repeats = 0;
    if (!isOld || this.#repeatedIn === this.#epoch) return;
    this.#repeatedIn = this.#epoch;
    this.#repeats++;
    if (this.#repeats >= maxRepeats) throw stuck(calls[0]?.tool ?? "");
  }
}

function stuck(tool: string): HoldfastError {
  return new HoldfastError(
    "no_progress",
    `The turn was stopped because it makes no progress: after each of two compactions the model called ${tool} again with the same arguments and got the same result. Nothing was lost. Ask for a smaller step, or use a model with a larger context window.`,
    { data: { tool } },
  );
}
