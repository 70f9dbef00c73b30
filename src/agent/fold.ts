import { compactedText, foldedText } from "../compaction/notices.ts";
import { frozenOf } from "../context/memory-share.ts";
import { agentDefaults } from "../engine/agent-defaults.ts";
import { readEpoch, readInjections } from "../engine/conversation.ts";
import type { State } from "../engine/state.ts";
import type { TurnRun } from "./answer.ts";

type FoldRun = Pick<TurnRun, "agent" | "setting" | "base" | "steer">;

/**
 * Once the provider's cache has expired, keeping the prompt's bytes unchanged saves nothing, so replace the changes of
 * the epoch with a fresh snapshot of the memory. See docs/decisions/0005.
 */
export async function foldWhenCold({ agent, setting }: Pick<FoldRun, "agent" | "setting">): Promise<void> {
  const minutes = setting.options.foldAfter ?? agentDefaults.foldAfter;
  if (setting.placement !== "epoch" || minutes === 0) return;
  const state = await agent.session.state();
  const isMarker = ({ text }: { text: string }) => text === foldedText || text === compactedText;
  if (readEpoch(state).warning !== "none" || readInjections(state).every(isMarker)) return;
  const messages = await agent.messages(state);
  const last = messages.findLast(({ message }) => message.role === "assistant");
  if (!last || setting.clock() - last.at <= minutes * 60_000) return;
  await fold({ agent }, state);
}

/** Memory may exceed its share by this factor before it is folded: folding rewrites the prompt. */
const slack = 1.1;

/** Folds the changes of the epoch once the copies of memory in the prompt exceed its share of the window. */
export async function foldWhenLarge({ agent, setting, base, steer }: FoldRun): Promise<void> {
  const { usage, state, context } = await agent.prompt({ base, steer });
  const { contextWindow } = setting.policy;
  const limit = contextWindow * (setting.options.memoryShare ?? agentDefaults.memoryShare) * slack;
  if (setting.placement !== "epoch" || usage.memory <= limit || readEpoch(state).warning !== "none") return;
  const texts = [context.guidance, ...context.blocks.map(({ text }) => text)];
  const folded = texts.reduce((sum, text) => sum + setting.tokenizer.count(text), 0);
  if (folded * slack < usage.memory) await fold({ agent }, state);
}

async function fold({ agent }: Pick<TurnRun, "agent">, state: State): Promise<void> {
  const messages = await agent.messages(state);
  const end = state.row.counters.lastMessage;
  const before = messages.at(-1)?.message.role === "user" ? end : end + 1;
  await agent.session.apply(
    { type: "context.fold", ...frozenOf(agent.context(state)), before, mark: foldedText },
    { actor: { kind: "system" } },
  );
}
