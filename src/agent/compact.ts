import { generateText } from "ai";
import { Compaction, type CompactionDriver } from "../compaction/compaction.ts";
import { chooseCut } from "../compaction/cut.ts";
import { handoffTokens } from "../compaction/handoff.ts";
import {
  type AskInPlace,
  type AskSummariser,
  maxSummaryTokens,
  summarise,
  summaryBudget,
} from "../compaction/summary.ts";
import { compactedText } from "../compaction/warning.ts";
import { isFinalAnswer, plainTextOf, type StoredMessage } from "../context/conversation.ts";
import { fenceContent } from "../context/fence.ts";
import { planPrompt } from "../context/prompt.ts";
import { blocksOf } from "../context/shown-memory.ts";
import { previewCompaction, readSummarySpan, summarisedUpTo } from "../engine/conversation.ts";
import type { CompactionTrigger, ShownBlock } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import { askForText, reportedBy } from "./call.ts";
import type { PromptNow } from "./conversation.ts";
import { recordSummary, recordTurn } from "./ledger.ts";
import type { AgentConfig } from "./options.ts";
import { asSystem, cacheOf, type TurnRun } from "./run.ts";
import { cachesPrompts, memoryToolSet } from "./tools.ts";

export interface CompactionRun extends TurnRun {
  trigger: CompactionTrigger;
  /** Why the agent was not warned, if it was not. */
  skipped: string;
  /** Tokens by which the prompt is expected to grow with each call. */
  growth?: number;
  /** Tokens of a message that is about to be added. */
  incoming?: number;
  /** Messages were shortened for the warning, so the model has no longer seen all of them. */
  isSqueezed?: boolean;
}

/** The last message to remove, from the current size of each message in the prompt. */
export function cutFor(
  { prompt, messages, usage }: PromptNow,
  { messageTokens, tokenizer, policy }: AgentConfig,
  { trigger, growth = 0, incoming = 0 }: Pick<CompactionRun, "trigger" | "growth" | "incoming">,
): number | undefined {
  const sizes = new Map(
    prompt.conversation.map(({ number, message }) => [number, messageTokens(message) * tokenizer.ratio]),
  );
  const sizeOf = ({ number }: StoredMessage) => sizes.get(number) ?? 0;
  // A warning turn leaves with the compaction and must not push out other messages.
  const warned = messages
    .filter(({ inWarning }) => inWarning)
    .reduce((sum, message) => sum + sizeOf(message), 0);
  const said = messages.filter(({ inWarning }) => !inWarning);
  return chooseCut({
    messages: said,
    sizeOf,
    used: usage.total - warned,
    policy,
    trigger,
    growth,
    incoming,
  });
}

/** Compacts the session's conversation; false if nothing can be removed. */
export async function runCompaction(run: CompactionRun): Promise<boolean> {
  const { agent, config, emit, signal } = run;
  const before = await agent.prompt(run);
  const to = cutFor(before, config, run);
  if (to === undefined) return false;
  const driver = driverOf(run, before, to);
  const compaction = new Compaction(driver);
  const from = summarisedUpTo(before.state) + 1;
  const begun = await compaction.begin({
    messages: before.messages,
    from,
    to,
    tokensBefore: before.usage.total,
  });
  const shown = before.prompt.conversation.filter(({ number }) => number <= to);
  const kept = before.messages.find(({ number, inWarning }) => number > to && !inWarning);
  const summary = await summarise(askModel(run, before), {
    handoff: begun.handoff.text,
    countTokens: driver.countTokens,
    onProblem: (message) => emit({ type: "error", message }),
    askInPlace: askInPlace(run, before, driver.countTokens(begun.handoff.text)),
    kept: kept ? plainTextOf(kept.message) : "",
    earlier: summaryIn(before.state),
    // A separate request has room of its own, so it gets what the prompt had to cut.
    removed: run.isSqueezed ? before.messages.filter(({ number }) => number <= to) : shown,
    removedTokens:
      shown.reduce((sum, { message }) => sum + config.messageTokens(message), 0) * config.tokenizer.ratio,
    contextWindow: config.policy.contextWindow,
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
  const { agent, config, trigger, skipped, emit, base } = run;
  const { toolbox, placement, countTokens, policy, tokenizer } = config;
  const canRecall = toolbox.tools.some(({ name }) => name === "recall");
  const kept = before.messages.filter(({ number, inWarning }) => number > to && !inWarning);
  const { handoff } = agent.session.setting;
  // Only a snapshot can be newer than the kept messages. Without a handoff the next context is the summary and the memory.
  const noticeFor = (blocks: readonly ShownBlock[]) =>
    handoff !== false && placement === "epoch" && blocks.length > 0 ? compactedText : "";
  let replacement = "";
  return {
    session: agent.session,
    trigger,
    skipped,
    readWith: canRecall ? "recall" : "",
    handoff,
    // Budgets are shares of the window, which the provider counts in its own way.
    countTokens: (text) => countTokens(text) * tokenizer.ratio,
    room: { tokens: handoffTokens(policy.contextWindow) },
    notify: (event) => agent.notify(event, emit),
    emit,
    async contextAfter({ body, state }) {
      const open = handoff === false ? openRequest(before, to) : "";
      replacement = [body, open].filter((text) => text !== "").join("\n\n");
      const blocks = blocksOf(agent.context(state));
      const preview = previewCompaction(state, {
        to,
        blocks,
        notice: noticeFor(blocks),
        summary: replacement,
      });
      const context = toolbox.context(preview);
      const after = planPrompt({ state: preview, context, messages: kept, base, placement });
      return {
        text: [after.system, ...after.messages.map(plainTextOf)].join("\n"),
        tokens: agent.usage(after, base).total,
      };
    },
    async commit(receipt, summary) {
      const text = handoff === false ? replacement : summary;
      const operation = { type: "context.compact" as const, to, summary: text, receipt };
      // A surface may have written to its file before the compaction; the snapshot shows it as it is now.
      await agent.refresh();
      // Another process may write concurrently, so the snapshot is of the state that is committed.
      await agent.session.change(
        (now) => {
          const blocks = blocksOf(agent.context(now));
          return { ...operation, blocks, notice: noticeFor(blocks) };
        },
        () => false,
        asSystem,
      );
    },
  };
}

const requestStart = "[User message that you are answering]";

/**
 * The message that the agent is still answering, if it is removed: no summary may lose it. A second compaction in a turn takes
 * it from the text of the first.
 */
function openRequest({ messages, state }: PromptNow, to: number): string {
  const said = messages.filter(({ inWarning }) => !inWarning);
  const asked = said.findLast(({ message }) => message.role === "user");
  const last = said.at(-1);
  if (last && isFinalAnswer(last)) return "";
  if (asked) return asked.number > to ? "" : `${requestStart}\n${fenceContent(plainTextOf(asked.message))}`;
  const earlier = summaryIn(state);
  const at = earlier.lastIndexOf(`\n${requestStart}\n`);
  return at === -1 ? "" : earlier.slice(at + 1);
}

/** Asks the summary model in a request of its own and records the call. */
function askModel(run: CompactionRun, before: PromptNow): AskSummariser {
  const { config, signal, model } = run;
  return async ({ instructions, sections, maxTokens }) => {
    const { summaryModel } = config.options;
    const { telemetry } = config.modelOptions;
    const { text, usage } = await generateText({
      ...(summaryModel ? { ...(telemetry ? { telemetry } : {}) } : config.modelOptions),
      model: summaryModel ?? model,
      instructions,
      prompt: sections.join("\n\n"),
      maxOutputTokens: maxTokens,
      abortSignal: signal,
      maxRetries: 1,
    });
    if (config.options.ledger !== false)
      await recordSummary(run, before, [instructions, sections], reportedBy(usage));
    return text;
  };
}

/**
 * Asks the agent's own model at the end of its prompt: it sees all that it saw, and the provider reads the prompt from
 * its cache. Undefined if another model writes the summaries, or if there is no room for the answer.
 */
function askInPlace(run: CompactionRun, before: PromptNow, handoffTokens: number): AskInPlace | undefined {
  const { agent, config, signal, model } = run;
  const { contextWindow } = config.policy;
  const { prompt, usage } = before;
  const room = contextWindow - usage.total - instructionTokens - handoffTokens;
  const maxTokens = Math.min(maxSummaryTokens(contextWindow), room);
  // A cached prompt is worth a tighter answer.
  const needed = cachesPrompts(run) ? summaryBudget(contextWindow) : maxSummaryTokens(contextWindow);
  const isPossible = !config.options.summaryModel && prompt.messages.length > 0 && !run.isSqueezed;
  if (!isPossible || room < needed) return undefined;
  return async (instruction) => {
    const asked = { role: "user" as const, content: instruction };
    const { messages, parts } = prompt;
    const whole = { ...prompt, messages: [...messages, asked], parts: [...parts, "history" as const] };
    const { text, reported } = await askForText({
      model,
      prompt: whole,
      tools: { ...config.options.tools, ...memoryToolSet(agent.tools) },
      modelOptions: { ...config.modelOptions, maxOutputTokens: maxTokens },
      cache: cacheOf(run),
      signal,
    });
    if (config.options.ledger !== false)
      await recordTurn(run, { ...before, prompt: whole }, "summary", reported);
    return text;
  };
}

/** Tokens of the instructions for a summary in place. */
const instructionTokens = 250;

/** The summary of the earlier epochs, as the model reads it. */
function summaryIn(state: State): string {
  return readSummarySpan(state)?.text ?? "";
}
