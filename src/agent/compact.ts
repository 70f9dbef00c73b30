import { generateText } from "ai";
import { Compaction, type CompactionDriver } from "../compaction/compaction.ts";
import { chooseCut } from "../compaction/cut.ts";
import { compactedText } from "../compaction/notices.ts";
import type { AskSummariser } from "../compaction/summary.ts";
import { plainTextOf, type StoredMessage } from "../context/conversation.ts";
import { blocksToFreeze, planPrompt } from "../context/prompt.ts";
import { previewCompaction, readSummarySpan } from "../engine/conversation.ts";
import type { CompactionTrigger } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import type { PromptNow } from "./agent-session.ts";
import type { TurnRun } from "./answer.ts";
import { recordSummary } from "./ledger.ts";
import type { AgentSetting } from "./setting.ts";

export interface CompactionRun
  extends Pick<TurnRun, "agent" | "setting" | "signal" | "emit" | "model" | "base"> {
  trigger: CompactionTrigger;
  /** Why the agent was not warned, if it was not. */
  skipped: string;
}

/** The last message to remove, from the current size of each message in the prompt. */
export function cutFor(
  { prompt, messages, usage }: PromptNow,
  { messageTokens, tokenizer, policy }: AgentSetting,
  trigger: CompactionTrigger,
): number | undefined {
  const sizes = new Map(
    prompt.conversation.map(({ number, message }) => [number, messageTokens(message) * tokenizer.ratio]),
  );
  const sizeOf = ({ number }: StoredMessage) => sizes.get(number) ?? 0;
  return chooseCut({ messages, sizeOf, used: usage.total, policy, trigger });
}

/** Compacts the session's conversation; false if nothing can be removed. */
export async function runCompaction(run: CompactionRun): Promise<boolean> {
  const { agent, setting, trigger, emit, signal } = run;
  const before = await agent.prompt(run);
  const to = cutFor(before, setting, trigger);
  if (to === undefined) return false;
  const compaction = new Compaction(driverOf(run, before, to));
  await compaction.begin({ messages: before.messages, to, tokensBefore: before.usage.total });
  const removed = before.prompt.conversation.filter(({ number }) => number <= to);
  const summary = await compaction.summarise(askModel(run, before), {
    earlier: summaryIn(before.state),
    removed,
    removedTokens: removed.reduce((sum, { message }) => sum + setting.messageTokens(message), 0),
    contextWindow: setting.policy.contextWindow,
    signal,
  });
  try {
    await compaction.finish(summary);
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== "conflict") throw error;
    // Another process compacted in the meantime; that is enough.
    emit({ type: "error", message: error.message });
  }
  return true;
}

function driverOf(run: CompactionRun, before: PromptNow, to: number): CompactionDriver {
  const { agent, setting, trigger, skipped, emit, base } = run;
  const { toolbox, placement, countTokens } = setting;
  const canRecall = toolbox.tools.some(({ name }) => name === "recall");
  const kept = before.messages.filter(({ number }) => number > to);
  return {
    session: agent.session,
    trigger,
    skipped,
    wayBack: canRecall ? "tool" : "none",
    countTokens,
    notify: (moment) => agent.notify(moment, emit),
    emit,
    async contextAfter({ body, state }) {
      const blocks = blocksToFreeze(toolbox.context(state));
      const preview = previewCompaction(state, { to, blocks, mark: compactedText, summary: body });
      const context = toolbox.context(preview);
      const after = planPrompt({ state: preview, context, messages: kept, base, placement });
      return {
        text: [after.system, ...after.messages.map(plainTextOf)].join("\n"),
        tokens: agent.usage(after, base).total,
      };
    },
    async commit(receipt, summary) {
      const operation = { type: "context.compact" as const, to, mark: compactedText, summary, receipt };
      // Another process may write concurrently, so compute the blocks from the state that is frozen.
      await agent.session.change(
        (now) => ({ ...operation, blocks: blocksToFreeze(toolbox.context(now)) }),
        () => false,
        { actor: { kind: "system" } },
      );
    },
  };
}

/** Asks the summary model and records the call. */
function askModel(run: CompactionRun, before: PromptNow): AskSummariser {
  const { setting, signal, model } = run;
  return async ({ instructions, sections, maxTokens }) => {
    const { text, usage } = await generateText({
      model: setting.options.summaryModel ?? model,
      instructions,
      prompt: sections.join("\n\n"),
      maxOutputTokens: maxTokens,
      abortSignal: signal,
      maxRetries: 1,
    });
    const { inputTokens, outputTokens, inputTokenDetails } = usage;
    const reported = { inputTokens, outputTokens, cachedTokens: inputTokenDetails.cacheReadTokens };
    if (setting.options.ledger !== false)
      await recordSummary(run, before, [instructions, sections], reported);
    return text;
  };
}

/** The summary of the earlier epochs, as the model reads it. */
function summaryIn(state: State): string {
  return readSummarySpan(state)?.text ?? "";
}
