import { planChange } from "../context/changes.ts";
import { chooseEnds, renderEnds } from "../context/excerpt.ts";
import { readEpoch } from "../engine/conversation.ts";
import type { TurnRun } from "./answer.ts";
import type { AgentSetting } from "./setting.ts";

type PlacementRun = Pick<TurnRun, "agent" | "setting" | "base">;

/** Injects the memory changes that the model has not seen yet before the next message. */
export async function placeChanges({
  agent,
  setting,
}: Pick<PlacementRun, "agent" | "setting">): Promise<void> {
  if (setting.placement !== "epoch") return;
  const state = await agent.session.state();
  const believed = await agent.shownMemory.believed(state);
  const change = planChange(
    await agent.shownMemory.shown(state),
    agent.shownMemory.view(state),
    readEpoch(state).changed,
    believed,
    shortenTo(setting, agent.context(state).guidance),
  );
  if (!change) return;
  const before = state.row.counters.lastMessage + 1;
  await agent.session.apply(
    { type: "context.inject", before, placed: state.row.revision, ...change },
    { actor: { kind: "system" } },
  );
}

/** Cuts a change that would take more than half of memory's share of the window. */
function shortenTo({ memoryRoom, countTokens }: AgentSetting, guidance: string): (text: string) => string {
  const room = memoryRoom(guidance) / 2;
  return (text) => {
    // A token has at least one character in most texts, so a short text need not be counted.
    if (text.length <= room) return text;
    const ends = chooseEnds(text, room, countTokens);
    return ends ? renderEnds(text, ends, cutNote) : text;
  };
}

const cutNote =
  "[Not shown here: the middle, because it is too long for the context window. Read it with your memory tools.]";

/** Tells the agent how full its context is, at 50 % and at every further 10 %. */
export async function reportFullness({ agent, setting, base }: PlacementRun): Promise<void> {
  // Counting is the slowest part of a turn, so skip it well below 50 %.
  if ((agent.roughTotal ?? Number.POSITIVE_INFINITY) < setting.policy.contextWindow * 0.4) return;
  const { usage, state } = await agent.prompt({ base });
  const percent = Math.floor((usage.total / setting.policy.contextWindow) * 10) * 10;
  if (percent < 50 || percent <= readEpoch(state).told) return;
  const { contextWindow, compactAt } = setting.policy;
  const text = `[Context: ${usage.total} of ${contextWindow} tokens used; at ${Math.round(contextWindow * compactAt)} it is compacted]`;
  const before = state.row.counters.lastMessage + 1;
  await agent.session.apply({ type: "context.tell", before, text, percent }, { actor: { kind: "system" } });
}

/** Injects changes that the agent cannot see in its own tool calls at once; its own edits follow at the next turn. */
export async function placeUnseenChanges({
  agent,
  setting,
}: Pick<PlacementRun, "agent" | "setting">): Promise<void> {
  if (setting.placement !== "epoch") return;
  const state = await agent.session.state();
  const { shownMemory } = agent;
  if ((await shownMemory.wroteUnseen(state)) || (await shownMemory.changedOutside(state)))
    await placeChanges({ agent, setting });
}
