import { generateText } from "ai";
import { type CompactionTrigger, readEpoch, readSpans } from "../engine/conversation.ts";
import type { State } from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import { type AgentSession, type AgentSetting, messageTokens } from "./agent-session.ts";
import { type StoredMessage, textOf } from "./conversation.ts";
import type { AgentEvent } from "./events.ts";
import { planCheckpoint } from "./plan-checkpoint.ts";
import { deterministicSummary, findSummaryFault, planCut, summaryInstructions, transcriptOf } from "./plan-compaction.ts";
import { blocksToFreeze, planPrompt } from "./plan-prompt.ts";
import { planReceipt } from "./plan-receipt.ts";

export interface CompactionRun {
  agent: AgentSession;
  setting: AgentSetting;
  trigger: CompactionTrigger;
  /** Why the agent was not warned, if it was not. */
  skipWarning?: string;
  signal: AbortSignal;
  emit: (event: AgentEvent) => void;
}

/**
 * The one way out of the context: checkpoint, summary, receipt. The last step is a single commit, so a process
 * that dies anywhere before it has removed nothing.
 */
export async function runCompaction(run: CompactionRun): Promise<boolean> {
  const { agent, setting, trigger, skipWarning, emit } = run;
  const { session } = agent;
  if (skipWarning !== undefined && readEpoch(await session.state()).warning === "none") {
    await session.apply({ type: "context.skip_warning", trigger, reason: skipWarning }, { actor: { kind: "system" } });
    emit({ type: "warning", trigger, skipped: skipWarning });
  }
  const before = await agent.prompt();
  const removed = chooseRemoved(before.messages, setting, trigger);
  if (removed.length === 0) return false;
  const checkpoint = planCheckpoint(before.state, removed, setting.countTokens);
  await session.apply({ type: "context.checkpoint", checkpoint }, { actor: { kind: "system" } });
  emit({ type: "checkpoint", checkpoint });

  const summary = await summarise(run, before.state, removed);
  const state = await session.state();
  const to = removed.at(-1)?.number ?? 0;
  const body = `[Summary of the conversation so far]\n${summary.text}\n[End of summary]\n\n${checkpoint.text}`;
  const after = promptAfter(setting, state, before.messages.filter(({ number }) => number > to), body);
  const receipt = planReceipt({
    state,
    epoch: readEpoch(state),
    trigger,
    removed,
    contextAfter: [after.system, ...after.messages.map(textOf)].join("\n"),
    canRecall: setting.toolbox.tools.some(({ name }) => name === "recall"),
    summaryBy: summary.by,
    tokensBefore: before.usage.total,
    tokensAfter: agent.usage(after).total,
  });
  await session.apply(
    { type: "context.compact", to, summary: `${body}\n\n${receipt.line}`, blocks: blocksToFreeze(setting.toolbox.context(state)), receipt },
    { actor: { kind: "system" } },
  );
  emit({ type: "compaction", trigger, from: receipt.from, to, summary: summary.text, summaryBy: summary.by });
  emit({ type: "receipt", receipt });
  return true;
}

/** The oldest messages; on an overflow, and when asked by hand, at least half of them. */
function chooseRemoved(messages: readonly StoredMessage[], setting: AgentSetting, trigger: CompactionTrigger): readonly StoredMessage[] {
  const tokens = ({ message }: StoredMessage) => messageTokens(message, setting.countTokens) * setting.tokenizer.ratio;
  const all = messages.reduce((sum, message) => sum + tokens(message), 0);
  let keep = setting.policy.contextWindow * setting.policy.keep;
  if (trigger !== "threshold" && trigger !== "projected") keep = Math.min(keep, all / 2);
  for (; keep >= 1; keep /= 2) {
    const to = planCut(messages, keep, tokens);
    if (to !== undefined) return messages.filter(({ number }) => number <= to);
  }
  return messages.length > 1 ? messages.slice(0, planCutOffset(messages)) : [];
}

/** Everything but the newest message and what belongs to it. */
function planCutOffset(messages: readonly StoredMessage[]): number {
  let cut = messages.length - 1;
  while (cut > 0 && messages[cut]?.message.role === "tool") cut--;
  return cut;
}

function promptAfter(setting: AgentSetting, state: State, kept: readonly StoredMessage[], summary: string) {
  const { toolbox, base } = setting;
  // The snapshot of the coming epoch is the memory of now, which is what `system` shows.
  const { system, messages } = planPrompt({ state, context: toolbox.context(state), messages: kept, base, placement: "system" });
  return { system, messages: [{ role: "user" as const, content: summary }, ...messages.filter(({ content }) => content !== earlierSummary(state))] };
}

function earlierSummary(state: State): string {
  return readSpans(state).find(([, { kind }]) => kind === "summary")?.[1].text ?? "";
}

interface Summary {
  text: string;
  by: "model" | "deterministic";
}

/** Asks the model, once more if the summary will not do, and does without it if need be. */
async function summarise(run: CompactionRun, state: State, removed: readonly StoredMessage[]): Promise<Summary> {
  const { setting, signal, emit } = run;
  const { options, policy, countTokens } = setting;
  const earlier = summaryBody(earlierSummary(state));
  const removedTokens = removed.reduce((sum, { message }) => sum + messageTokens(message, countTokens), 0) + countTokens(earlier);
  const budget = Math.max(200, Math.floor(policy.contextWindow * 0.1));
  let fault = "";
  for (let attempt = 1; attempt <= 2; attempt++) {
    try {
      const { text } = await generateText({
        model: options.summaryModel ?? options.model,
        instructions: summaryInstructions,
        prompt: summaryPrompt(earlier, removed, fault, policy.contextWindow),
        maxOutputTokens: Math.max(256, Math.min(4_000, budget * 2)),
        abortSignal: signal,
        maxRetries: 1,
      });
      const found = findSummaryFault(text, removed, { summary: countTokens(text), removed: removedTokens });
      if (!found) return { text: text.trim(), by: "model" };
      fault = found;
      emit({ type: "error", message: `The summary was refused: ${found}.` });
    } catch (error) {
      if (signal.aborted) throw error;
      emit({ type: "error", message: `No summary came from the model: ${(error as Error).message}` });
      break;
    }
  }
  return { text: deterministicSummary(earlier, removed, budget, countTokens), by: "deterministic" };
}

function summaryPrompt(earlier: string, removed: readonly StoredMessage[], fault: string, contextWindow: number): string {
  // Roughly three characters a token leaves room for the instructions and the answer.
  const transcript = transcriptOf(removed, Math.max(400, Math.min(4_000, Math.floor((contextWindow * 2) / Math.max(1, removed.length)))));
  return [
    earlier === "" ? "" : `The earlier summary:\n${earlier}`,
    `The messages to summarise:\n${transcript.slice(-contextWindow * 3).toWellFormed()}`,
    fault === "" ? "" : `Your last summary was refused: ${fault}. Write it again and mend that.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The summary itself, without the checkpoint and the receipt that stand below it. */
function summaryBody(text: string): string {
  return /^\[Summary of the conversation so far\]\n([\s\S]*?)\n\[End of summary\]/.exec(text)?.[1] ?? text;
}

export function mustCompact(done: boolean, trigger: CompactionTrigger): void {
  if (!done) {
    throw new HoldfastError(
      "over_limit",
      `The prompt does not fit the context window and nothing is left to compact (${trigger}). Use a larger context window, a shorter message, or fewer tools.`,
    );
  }
}

