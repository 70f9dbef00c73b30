import { compactedText, foldedText } from "../compaction/notices.ts";
import { blocksToFreeze } from "../context/prompt.ts";
import { readEpoch, readInjections } from "../engine/conversation.ts";
import type { TurnRun } from "./answer.ts";

/** Minutes for which providers remember a prompt. */
const defaultFoldAfter = 5;

/**
 * Once a provider has forgotten the prompt, keeping its bytes the same saves nothing: the changes of the epoch then
 * give way to a fresh snapshot of the memory. See docs/decisions/0005.
 */
export async function foldWhenCold({ agent, setting }: Pick<TurnRun, "agent" | "setting">): Promise<void> {
  const minutes = setting.options.foldAfter ?? defaultFoldAfter;
  if (setting.placement !== "epoch" || minutes === 0) return;
  const state = await agent.session.state();
  const isMark = ({ text }: { text: string }) => text === foldedText || text === compactedText;
  if (readEpoch(state).warning !== "none" || readInjections(state).every(isMark)) return;
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
