import { type ClearableResult, estimateCallsLeft, planClearing } from "../compaction/clearing.ts";
import type { Usage } from "../compaction/usage.ts";
import { messageOfPart, toolResultsOf } from "../context/conversation.ts";
import { defaultClearing } from "../engine/clearing-policy.ts";
import { dotless } from "../surfaces/toolbox.ts";
import type { TurnRun } from "./answer.ts";

export type ClearingRun = Pick<TurnRun, "agent" | "setting" | "emit" | "base">;

/** Clears old results when the savings over the rest of the epoch exceed the cost. */
export async function clearWhenItPays(run: ClearingRun): Promise<void> {
  const { results } = await plan(run);
  await clear(run, results);
}

/** When the prompt is rewritten anyway, clearing costs nothing extra. */
const freeOfCost = { cachedPrice: 1, writePrice: 1 };

/** Clearing replaces a compaction if it gets the prompt below this share of the threshold. */
const clearedShare = 0.75;

/**
 * Clears all old results if that frees enough room to avoid a compaction. Clearing loses nothing, and a compaction
 * would rewrite the whole prompt too.
 */
export async function clearInstead(run: ClearingRun): Promise<boolean> {
  const { results, usage } = await plan(run, freeOfCost);
  const { policy, tokenizer } = run.setting;
  const saved = results.reduce(
    (sum, { tokens, summary }) => sum + tokens - run.setting.countTokens(summary),
    0,
  );
  if (usage.total - saved * tokenizer.ratio > policy.contextWindow * policy.compactAt * clearedShare)
    return false;
  await clear(run, results);
  return results.length > 0;
}

async function plan(
  { agent, setting, base }: ClearingRun,
  prices?: typeof freeOfCost,
): Promise<{ results: ClearableResult[]; usage: Usage }> {
  const { state, prompt, usage, messages: stored } = await agent.prompt({ base });
  const policy = { ...defaultClearing, ...setting.options.clearing, ...prices };
  // If all results together are this small, no single one is worth clearing.
  const isTooLittle = usage.results < policy.leastTokens * setting.tokenizer.ratio;
  // Nothing is cleared that the agent cannot get back.
  const canRecall = agent.tools.some(({ name }) => name === "recall_result");
  if (setting.options.clearing === false || isTooLittle || !canRecall) return { results: [], usage };
  // Without collapsed tasks: they take no room, so there is nothing to clear in them.
  const messages = prompt.conversation;
  const originals = new Map(stored.map((message) => [message.number, message]));
  const room = setting.policy.contextWindow * setting.policy.compactAt - usage.total;
  const results = planClearing({
    state,
    messages,
    originalOf: (key) => {
      const holder = originals.get(messageOfPart(key) ?? 0);
      return holder && toolResultsOf(holder).find((result) => result.key === key)?.text;
    },
    callsLeft: prices ? 1 : estimateCallsLeft(messages, room, setting.countTokens),
    memoryTools: new Set(agent.tools.map(({ name }) => dotless(name))),
    writingTools: new Set(agent.tools.flatMap(({ name, readOnly }) => (readOnly ? [] : [dotless(name)]))),
    countTokens: setting.countTokens,
    policy,
  });
  return { results, usage };
}

async function clear({ agent, emit }: ClearingRun, results: readonly ClearableResult[]): Promise<void> {
  if (results.length === 0) return;
  await agent.session.apply(
    {
      type: "context.clear",
      results: results.map(({ tokens: _tokens, finding: _finding, ...result }) => result),
    },
    { actor: { kind: "system" } },
  );
  await agent.notify({ kind: "cleared", results }, emit);
  emit({
    type: "clearing",
    results: results.length,
    tokens: results.reduce((sum, { tokens }) => sum + tokens, 0),
  });
}
