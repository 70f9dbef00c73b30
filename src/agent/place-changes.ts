import { planChange } from "../context/changes.ts";
import { readEpoch } from "../engine/conversation.ts";
import type { TurnRun } from "./answer.ts";

type PlacementRun = Pick<TurnRun, "agent" | "setting" | "base">;

/** Puts what changed in memory since the model last saw it before the message that comes next. */
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
  );
  if (!change) return;
  const before = state.row.counters.lastMessage + 1;
  await agent.session.apply(
    { type: "context.inject", before, placed: state.row.revision, ...change },
    { actor: { kind: "system" } },
  );
}

/** Tells the agent how full its context is, whenever another tenth beyond the first half is used. */
export async function tellFullness({ agent, setting, base }: PlacementRun): Promise<void> {
  // Counting takes longer than all the rest of a turn; far from the half it is left alone.
  if ((agent.roughTotal ?? Number.POSITIVE_INFINITY) < setting.policy.contextWindow * 0.4) return;
  const { usage, state } = await agent.prompt({ base });
  const percent = Math.floor((usage.total / setting.policy.contextWindow) * 10) * 10;
  if (percent < 50 || percent <= readEpoch(state).told) return;
  const { contextWindow, compactAt } = setting.policy;
  const text = `[Context: ${usage.total} of ${contextWindow} tokens used; at ${Math.round(contextWindow * compactAt)} it is compacted]`;
  const before = state.row.counters.lastMessage + 1;
  await agent.session.apply({ type: "context.tell", before, text, percent }, { actor: { kind: "system" } });
}

/** The agent's own edits are in its tool calls and follow at the next turn; what it cannot see there follows at once. */
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
