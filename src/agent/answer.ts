import type { LanguageModel, ModelMessage } from "ai";
import { learnFrom } from "../compaction/growth.ts";
import { toolCallsOf, toolResultsOf } from "../context/conversation.ts";
import { readEpoch, readLearned } from "../engine/conversation.ts";
import { dotless } from "../surfaces/toolbox.ts";
import type { AgentSession, PromptNow } from "./agent-session.ts";
import type { ModelAnswer } from "./call-model.ts";
import type { AgentEvent } from "./events.ts";
import { leastTokens, roomForResults } from "./fit.ts";
import { recordTurn } from "./ledger.ts";
import { runTools } from "./run-tools.ts";
import type { AgentSetting, Frame } from "./setting.ts";

export interface TurnRun extends Frame {
  agent: AgentSession;
  setting: AgentSetting;
  signal: AbortSignal;
  emit: (event: AgentEvent) => void;
  /** Hints placed before the newest user message, for this turn only. */
  steer: string;
  /** Whether the session is done, as a sub-session is after its report. */
  isOver: () => boolean;
  /** Set once the agent has called a tool that writes to its memory. */
  wroteMemory?: boolean;
}

/** Memory failures never block the agent: report the failure and continue the turn. */
export async function continueOnFailure<T>(
  { signal, emit }: TurnRun,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    emit({ type: "error", message: `Memory failed; the turn continues without it: ${why}` });
    return undefined;
  }
}

/** Stores the model's answer, and calibrates the tokenizer with the provider's count. */
export async function storeAnswer(
  run: TurnRun,
  answer: ModelAnswer,
  now: PromptNow,
  aside = false,
): Promise<void> {
  const { agent, setting, emit } = run;
  const { usage, state } = now;
  const { inputTokens } = answer.reported;
  if (inputTokens !== undefined) setting.tokenizer.observe(usage.total, inputTokens);
  const model = modelName(run.model);
  const call = {
    ratio: setting.tokenizer.ratio,
    total: inputTokens ?? usage.total,
    epoch: readEpoch(state).number,
  };
  agent.learn(model, learnFrom(readLearned(state, model), call));
  emit({ type: "usage", usage, reported: answer.reported });
  const recorded =
    setting.options.ledger === false
      ? undefined
      : await recordTurn(run, now, aside ? "warning" : "turn", answer.reported);
  await continueOnFailure(run, () => agent.receiptCheck.check({ call: recorded, body: answer.sent }, emit));
  const messages: ModelMessage[] =
    answer.messages.length > 0 ? answer.messages : [{ role: "assistant", content: answer.text }];
  await agent.add(messages, aside);
}

/** Runs the tools that the model called, stores their results and returns them as text. */
export async function answerCalls(
  run: TurnRun,
  { toolCalls }: ModelAnswer,
  aside = false,
): Promise<string[]> {
  const { row } = await run.agent.session.state();
  const used = run.agent.roughTotal ?? 0;
  const room = roomForResults(used, run.setting.policy, toolCalls.length) / Math.max(1, toolCalls.length);
  if (toolCalls.some(({ tool }) => isMemoryWrite(run.agent, tool))) run.wroteMemory = true;
  const message = row.counters.lastMessage;
  const results = await runTools({
    ...run,
    calls: toolCalls,
    message,
    interrupted: false,
    onlyMemory: aside,
    room,
  });
  await run.agent.add([results], aside);
  return toolResultsOf({ number: message + 1, message: results, at: 0 }).map(({ text }) => text);
}

/** Answers calls left open by a process that died, since providers reject a call without a result. */
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
    [await runTools({ ...run, calls: open, message: last.number, interrupted: true, room: leastTokens })],
    last.aside,
  );
}

/** The session whose prompts the provider is asked to cache; undefined if that is off. */
export function cacheOf({ agent, setting }: Pick<TurnRun, "agent" | "setting">): string | undefined {
  return setting.options.promptCache === false ? undefined : agent.session.id;
}

/** The name under which a model's counts are stored. */
export function modelName(model: LanguageModel): string {
  return typeof model === "string" ? model : model.modelId;
}

function isMemoryWrite(agent: AgentSession, tool: string): boolean {
  return agent.tools.some(({ name, readOnly }) => dotless(name) === tool && !readOnly);
}
