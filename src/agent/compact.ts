import { generateText, type LanguageModelUsage } from "ai";
import { checkpointTokens, planCheckpoint } from "../compaction/checkpoint.ts";
import { planReceipt } from "../compaction/receipt.ts";
import {
  compactedText,
  deterministicSummary,
  findSummaryFault,
  planCut,
  summaryInstructions,
  transcriptOf,
} from "../compaction/summary.ts";
import type { CompactionPolicy } from "../compaction/usage.ts";
import { plainTextOf, type StoredMessage } from "../context/conversation.ts";
import { fenceContent, unfenceContent } from "../context/fence.ts";
import { blocksToFreeze, type Prompt, planPrompt } from "../context/prompt.ts";
import {
  type Checkpoint,
  type CompactionTrigger,
  previewCompaction,
  readEpoch,
  readSpans,
} from "../engine/conversation.ts";
import type { State } from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import { type AgentSession, type AgentSetting, messageTokens, type PromptNow } from "./agent-session.ts";
import type { AgentEvent } from "./events.ts";
import { recordSummary } from "./ledger.ts";

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
  const before = await agent.prompt();
  const to = chooseCut(before, setting, trigger);
  if (to === undefined) return false;
  if (skipWarning !== undefined && readEpoch(before.state).warning === "none") {
    await session.apply({ type: "context.skip_warning", trigger, reason: skipWarning }, asSystem);
    emit({ type: "warning", trigger, skipped: skipWarning });
  }
  const checkpoint = planCheckpoint({
    state: before.state,
    messages: before.messages,
    to,
    earlier: await agent.lastCheckpoint(before.state),
    countTokens: setting.countTokens,
  });
  await session.apply({ type: "context.checkpoint", checkpoint }, asSystem);
  emit({ type: "checkpoint", checkpoint });

  const summary = await summarise(run, before, to, checkpoint);
  const state = await session.state();
  const removed = before.messages.filter(({ number }) => number <= to);
  const body = `[Summary of the conversation so far]\n${fenceContent(summary.text)}\n[End of summary]\n\n${checkpoint.text}`;
  const blocks = blocksToFreeze(setting.toolbox.context(state));
  const compaction = { to, blocks, mark: compactedText };
  const after = promptAfter(
    setting,
    previewCompaction(state, { ...compaction, summary: body }),
    before.messages.slice(removed.length),
  );
  const receipt = planReceipt({
    state,
    epoch: readEpoch(state),
    trigger,
    removed,
    asks: checkpoint.openAsks,
    contextAfter: [after.system, ...after.messages.map(plainTextOf)].join("\n"),
    canRecall: setting.toolbox.tools.some(({ name }) => name === "recall"),
    summaryBy: summary.by,
    tokensBefore: before.usage.total,
    tokensAfter: agent.usage(after).total,
  });
  try {
    const operation = {
      type: "context.compact" as const,
      ...compaction,
      summary: `${body}\n\n${receipt.line}`,
      receipt,
    };
    // Somebody may write in this very moment; the blocks have to be those of the state that is frozen.
    await session.change(
      (now) => ({ ...operation, blocks: blocksToFreeze(setting.toolbox.context(now)) }),
      () => false,
      asSystem,
    );
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== "conflict") throw error;
    // Another process has made room in the meantime; that will do.
    emit({ type: "error", message: error.message });
    return true;
  }
  emit({ type: "compaction", trigger, from: receipt.from, to, summary: summary.text, summaryBy: summary.by });
  emit({ type: "receipt", receipt });
  await agent.tell({ kind: "compaction", checkpoint }, emit);
  return true;
}

const asSystem = { actor: { kind: "system" as const } };

/** Tokens that a summary may take. */
function summaryBudget({ contextWindow }: CompactionPolicy): number {
  return Math.max(200, Math.floor(contextWindow * 0.1));
}

/** The last message to go, by what each takes in the prompt; on an overflow, and when asked by hand, at least half goes. */
export function chooseCut(
  { prompt, messages, usage }: PromptNow,
  setting: AgentSetting,
  trigger: CompactionTrigger,
): number | undefined {
  const { contextWindow, outputReserve, keep: share } = setting.policy;
  const sizes = new Map(
    prompt.conversation.map(({ number, message }) => [
      number,
      messageTokens(message, setting.countTokens) * setting.tokenizer.ratio,
    ]),
  );
  const sizeOf = ({ number }: StoredMessage) => sizes.get(number) ?? 0;
  const all = messages.reduce((sum, message) => sum + sizeOf(message), 0);
  const most =
    contextWindow - outputReserve - (usage.total - all) - summaryBudget(setting.policy) - checkpointTokens;
  const isUrgent = trigger === "overflow" || trigger === "manual" || trigger === "host";
  for (
    let keep = isUrgent ? Math.min(contextWindow * share, all / 2) : contextWindow * share;
    keep >= 1;
    keep /= 2
  ) {
    const to = planCut(messages, keep, sizeOf, most);
    if (to !== undefined) return to;
  }
  // Only the newest exchange is left, and the provider says that it is too long by itself.
  return trigger === "overflow" ? messages.at(-1)?.number : undefined;
}

function promptAfter(
  { toolbox, base, placement }: AgentSetting,
  state: State,
  messages: readonly StoredMessage[],
): Prompt {
  return planPrompt({ state, context: toolbox.context(state), messages, base, placement });
}

interface Summary {
  text: string;
  by: "model" | "deterministic";
}

/** Asks the model, once more if the summary will not do, and does without it if need be. */
async function summarise(
  run: CompactionRun,
  now: PromptNow,
  to: number,
  checkpoint: Checkpoint,
): Promise<Summary> {
  const { state, prompt } = now;
  const { setting, signal, emit } = run;
  // The newest few: a summary that had to carry dozens would be refused for ever.
  const openAsks = checkpoint.openAsks.slice(0, 5);
  const { options, policy, countTokens } = setting;
  const removed = prompt.conversation.filter(({ number }) => number <= to);
  const earlier = earlierSummary(state);
  const removedTokens =
    removed.reduce((sum, { message }) => sum + messageTokens(message, countTokens), 0) + countTokens(earlier);
  const budget = summaryBudget(policy);
  let fault = "";
  for (let attempt = 1; attempt <= 2; attempt++) {
    try {
      const sections = summarySections({
        earlier,
        removed,
        openAsks,
        fault,
        contextWindow: policy.contextWindow,
      });
      const { text, usage } = await generateText({
        model: options.summaryModel ?? options.model,
        instructions: summaryInstructions,
        prompt: sections.join("\n\n"),
        maxOutputTokens: Math.max(256, Math.min(4_000, budget * 2)),
        abortSignal: signal,
        maxRetries: 1,
      });
      if (options.ledger !== false)
        await recordSummary(run, now, [summaryInstructions, sections], reportedBy(usage));
      const found = findSummaryFault(text, openAsks, { summary: countTokens(text), removed: removedTokens });
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

function reportedBy({ inputTokens, outputTokens, inputTokenDetails }: LanguageModelUsage) {
  return { inputTokens, outputTokens, cachedTokens: inputTokenDetails.cacheReadTokens };
}

interface SummaryRequest {
  earlier: string;
  removed: readonly StoredMessage[];
  openAsks: readonly string[];
  /** Why the last summary was refused. */
  fault: string;
  contextWindow: number;
}

/** The prompt, in parts that stay the same when it has to be asked again. */
function summarySections({ earlier, removed, openAsks, fault, contextWindow }: SummaryRequest): string[] {
  // Roughly three characters a token leaves room for the instructions and the answer.
  const transcript = transcriptOf(
    removed,
    Math.max(400, Math.min(4_000, Math.floor((contextWindow * 2) / Math.max(1, removed.length)))),
  );
  return [
    earlier === "" ? "" : `The earlier summary:\n${earlier}`,
    `The messages to summarise:\n${transcript.slice(-contextWindow * 3).toWellFormed()}`,
    ...openAsks.map((ask) => `Open request: ${ask.slice(0, 2_000).toWellFormed()}`),
    fault === "" ? "" : `Your last summary was refused: ${fault}. Write it again and mend that.`,
  ].filter((part) => part !== "");
}

/** The summary of the epoch that ends, without the checkpoint and the receipt that stand below it. */
function earlierSummary(state: State): string {
  const text = readSpans(state).find(([, { kind }]) => kind === "summary")?.[1].text ?? "";
  const body = /^\[Summary of the conversation so far\]\n([\s\S]*?)\n\[End of summary\]/.exec(text)?.[1];
  return body === undefined ? text : unfenceContent(body);
}
