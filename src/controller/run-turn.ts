import type { ModelMessage } from "ai";
import { type CompactionTrigger, readEpoch, readInjections } from "../engine/conversation.ts";
import type { State } from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import { dotless } from "../tools/toolbox.ts";
import {
  type AgentSession,
  type AgentSetting,
  memoryToolSet,
  messageTokens,
  type PromptNow,
} from "./agent-session.ts";
import { toolCallsOf } from "./conversation.ts";
import type { AgentEvent } from "./events.ts";
import { planChange } from "./plan-changes.ts";
import { goOnText, warningText } from "./plan-compaction.ts";
import { hasRoomToWarn, planNextStep, type Usage } from "./plan-usage.ts";
import { clearInstead, clearWhenItPays } from "./run-clearing.ts";
import { chooseCut, runCompaction } from "./run-compaction.ts";
import { foldWhenCold } from "./run-fold.ts";
import { callModel, isOverflow, type ModelAnswer } from "./run-model.ts";
import { runTools } from "./run-tools.ts";

export interface TurnRun {
  agent: AgentSession;
  setting: AgentSetting;
  signal: AbortSignal;
  emit: (event: AgentEvent) => void;
  /** Hints before the newest user message, for this turn only. */
  steer: string;
  /** Whether the session has said its last word, as a sub-session does with its report. */
  isOver: () => boolean;
  /** Set as soon as the agent has called a tool that writes to its memory. */
  wroteMemory?: boolean;
}

export interface TurnResult {
  text: string;
  steps: number;
  /** `done`: the model had nothing more to call. `steps`: the turn was cut off. */
  end: "done" | "steps";
  wroteMemory: boolean;
  compacted: boolean;
}

/** Model calls in one warning turn. */
const warningSteps = 6;

const asSystem = { actor: { kind: "system" as const } };

/** The growth assumed before anything is known of this conversation. */
const firstGrowth = 0;

/** Calls the model until it has nothing more to call, making room whenever that is needed. */
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
  const most = setting.options.maxSteps ?? 50;
  for (let step = 1; step <= most; step++) {
    run.signal.throwIfAborted();
    await placeUnseenChanges(agent, setting);
    await foldWhenCold(agent, setting);
    const madeRoom = await makeRoom(run, growth);
    await goOnAfterWarning(run);
    const { answer, total, overflowed } = await callWithinWindow(run);
    compacted ||= madeRoom || overflowed;
    // How much a step adds can only be told within an epoch.
    if (lastTotal > 0 && total > lastTotal && !madeRoom && !overflowed) growth = total - lastTotal;
    lastTotal = total;
    if (answer.toolCalls.length === 0) return result(answer.text, step, "done");
    await answerCalls(run, answer);
    if (run.isOver()) return result(answer.text, step, "done");
  }
  return result("", most, "steps");
}

/** Puts what changed in memory since the model last saw it before the message that comes next. */
export async function placeChanges(agent: AgentSession, setting: AgentSetting): Promise<void> {
  if (setting.placement !== "epoch") return;
  const state = await agent.session.state();
  const believed = await agent.believed(state);
  const change = planChange(await agent.shown(state), agent.view(state), readEpoch(state).changed, believed);
  if (!change) return;
  const before = state.row.counters.lastMessage + 1;
  await agent.session.apply(
    { type: "context.inject", before, placed: state.row.revision, ...change },
    { actor: { kind: "system" } },
  );
}

/** Tells the agent how full its context is, whenever another tenth beyond the first half is used. */
export async function tellFullness(agent: AgentSession, setting: AgentSetting): Promise<void> {
  const { usage, state } = await agent.prompt();
  const percent = Math.floor((usage.total / setting.policy.contextWindow) * 10) * 10;
  if (percent < 50 || percent <= readEpoch(state).told) return;
  const { contextWindow, compactAt } = setting.policy;
  const text = `[Context: ${usage.total} of ${contextWindow} tokens used; at ${Math.round(contextWindow * compactAt)} it is compacted]`;
  const before = state.row.counters.lastMessage + 1;
  await agent.session.apply({ type: "context.tell", before, text, percent }, { actor: { kind: "system" } });
}

/** The agent's own edits are in its tool calls and follow at the next turn; what it cannot see there follows at once. */
export async function placeUnseenChanges(agent: AgentSession, setting: AgentSetting): Promise<void> {
  if (setting.placement === "epoch" && (await agent.wroteUnseen(await agent.session.state())))
    await placeChanges(agent, setting);
}

/** Clears, warns and compacts, in that order and only as far as needed. */
export async function makeRoom(run: TurnRun, growth: number): Promise<boolean> {
  const { agent, setting } = run;
  await clearWhenItPays(run);
  const { usage, state } = await agent.prompt(run.steer);
  const { warning } = readEpoch(state);
  const next = planNextStep(usage.total, growth, warning, setting.policy);
  if (next.step === "call" || (warning === "none" && (await clearInstead(run)))) return false;
  return compactNow(run, next.trigger);
}

/** The one gate: the agent is warned while there is room for it, and then the compaction runs. */
export async function compactNow(run: TurnRun, trigger: CompactionTrigger): Promise<boolean> {
  const { agent, setting } = run;
  const now = await agent.prompt(run.steer);
  const { warning } = readEpoch(now.state);
  if (warning !== "given" && !isWorthwhile(now, setting, trigger)) return false;
  const isDue = warning === "none" || isUnanswered(now.state);
  if (isDue && hasRoomToWarn(now.usage.total, setting.policy)) await agent.aside(() => warn(run, trigger));
  return runCompaction({ ...run, trigger, skipWarning: "there was no room left for it" });
}

/** A compaction that frees next to nothing would only come back with every call; it can wait as long as the prompt fits. */
function isWorthwhile(now: PromptNow, setting: AgentSetting, trigger: CompactionTrigger): boolean {
  const to = chooseCut(now, setting, trigger);
  if (to === undefined) return false;
  const { contextWindow, outputReserve } = setting.policy;
  const removed = now.prompt.conversation.filter(({ number }) => number <= to);
  const freed =
    removed.reduce((sum, { message }) => sum + messageTokens(message, setting.countTokens), 0) *
    setting.tokenizer.ratio;
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
  const { agent, setting, signal, emit } = run;
  await placeUnseenChanges(agent, setting);
  const state = await agent.session.state();
  if (!isUnanswered(state)) {
    const before = state.row.counters.lastMessage + 1;
    await agent.session.apply({ type: "context.warn", trigger, before, text: warningText }, asSystem);
  }
  emit({ type: "warning", trigger });
  const tools = memoryToolSet(setting.toolbox.tools);
  try {
    for (let step = 0; step < warningSteps; step++) {
      const { prompt, usage } = await agent.prompt(run.steer);
      const answer = await callModel({ model: setting.options.model, prompt, tools, signal, emit });
      await store(run, answer, usage, true);
      if (answer.toolCalls.length === 0) return;
      await answerCalls(run, answer, true);
      await placeUnseenChanges(agent, setting);
    }
  } catch (error) {
    if (signal.aborted) throw error;
    // The checkpoint is written whether or not the agent could use its warning.
    emit({ type: "error", message: `The warning turn failed: ${(error as Error).message}` });
  }
}

/** What the agent said to a warning ends no turn; without a word to go on, the prompt would end with it. */
async function goOnAfterWarning({ agent, steer }: TurnRun): Promise<void> {
  const { prompt, state } = await agent.prompt(steer);
  if (prompt.messages.at(-1)?.role !== "assistant") return;
  const before = state.row.counters.lastMessage + 1;
  await agent.session.apply(
    { type: "context.tell", before, text: goOnText, percent: readEpoch(state).told },
    asSystem,
  );
}

/** A call that the provider refuses as too long is made again after a compaction. */
async function callWithinWindow(
  run: TurnRun,
): Promise<{ answer: ModelAnswer; total: number; overflowed: boolean }> {
  const { agent, setting, signal, emit } = run;
  const tools = { ...setting.options.tools, ...memoryToolSet(setting.toolbox.tools) };
  for (let attempt = 1; ; attempt++) {
    const { prompt, usage } = await agent.prompt(run.steer);
    try {
      const answer = await callModel({ model: setting.options.model, prompt, tools, signal, emit });
      await store(run, answer, usage);
      return { answer, total: answer.reported.inputTokens ?? usage.total, overflowed: attempt > 1 };
    } catch (error) {
      if (signal.aborted || !isOverflow(error)) throw error;
      const skipWarning = "the provider refused the prompt as too long";
      if (attempt > 3 || !(await runCompaction({ ...run, trigger: "overflow", skipWarning })))
        throw tooLong(error);
    }
  }
}

function tooLong(cause: unknown): HoldfastError {
  return new HoldfastError(
    "over_limit",
    "The provider refuses the prompt as too long, and nothing is left to compact. Nothing was lost: send a shorter message, use fewer tools or a shorter notepad, or a model with a larger context window.",
    { cause },
  );
}

async function store(
  { agent, setting, emit }: TurnRun,
  answer: ModelAnswer,
  usage: Usage,
  aside = false,
): Promise<void> {
  const { inputTokens } = answer.reported;
  if (inputTokens !== undefined) setting.tokenizer.observe(usage.total, inputTokens);
  emit({ type: "usage", usage, reported: answer.reported });
  const said: ModelMessage[] =
    answer.messages.length > 0 ? answer.messages : [{ role: "assistant", content: answer.text }];
  await agent.add(said, aside);
}

async function answerCalls(run: TurnRun, { toolCalls }: ModelAnswer, aside = false): Promise<void> {
  const { row } = await run.agent.session.state();
  if (toolCalls.some(({ tool }) => isMemoryWrite(run.setting, tool))) run.wroteMemory = true;
  await run.agent.add(
    [await runTools({ ...run, calls: toolCalls, message: row.counters.lastMessage, interrupted: false })],
    aside,
  );
}

/** A process that died between a call and its answer left the call open; no provider takes that. */
export async function finishPendingCalls(run: TurnRun): Promise<void> {
  const messages = await run.agent.messages();
  const last = messages.findLast(({ message }) => message.role === "assistant");
  if (!last) return;
  const calls = toolCallsOf(last);
  const answered = new Set(
    messages.flatMap(({ number, message }) =>
      number > last.number && message.role === "tool"
        ? message.content.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : []))
        : [],
    ),
  );
  const open = calls.filter(({ id }) => !answered.has(id));
  if (open.length === 0) return;
  await run.agent.add(
    [await runTools({ ...run, calls: open, message: last.number, interrupted: true })],
    last.aside,
  );
}

function isMemoryWrite(setting: AgentSetting, tool: string): boolean {
  return setting.toolbox.tools.some(({ name, readOnly }) => dotless(name) === tool && !readOnly);
}
