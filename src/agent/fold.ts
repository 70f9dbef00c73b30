import { compactedText, foldedText } from "../compaction/notices.ts";
import { blocksToFreeze } from "../context/prompt.ts";
import { readEpoch, readInjections } from "../engine/conversation.ts";
import type { TurnRun } from "./answer.ts";

/** Minutes that providers keep a prompt in their cache. */
const defaultFoldAfter = 5;

/**
 * Once the provider's cache has expired, keeping the prompt's bytes unchanged saves nothing, so replace the changes of
 * the epoch with a fresh snapshot of the memory. See docs/decisions/0005.
 */
export async function foldWhenCold({ agent, setting }: Pick<TurnRun, "agent" | "setting">): Promise<void> {
  const minutes = setting.options.foldAfter ?? defaultFoldAfter;
  if (setting.placement !== "epoch" || minutes === 0) return;
  const state = await agent.session.state();
  const isMarker = ({ text }: { text: string }) => text === foldedText || text === compactedText;
  if (readEpoch(state).warning !== "none" || readInjections(state).every(isMarker)) return;
  const messages = await agent.messages(state);
  const last = messages.findLast(({ message }) => message.role === "assistant");
  if (!last || setting.clock() - last.at <= minutes * 60_000) return;
  const end = state.row.counters.lastMessage;
  const before = messages.at(-1)?.message.role === "user" ? end : end + 1;
  await agent.session.apply(
    {
      type: "context.fold",
      blocks: blocksToFreeze(setting.toolbox.context(state)),
      before,
      mark: foldedText,
    },
    { actor: { kind: "system" } },
  );
}
