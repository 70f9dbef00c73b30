import { type CompactionDriver, planSessionEnd } from "../../compaction/compaction.ts";
import type { StoredMessage } from "../../context/conversation.ts";
import type { Session } from "../../sessions/session.ts";
import type { Moment } from "../../surfaces/surface.ts";
import { commitReceipt } from "../commit-receipt.ts";

export interface PluginDriverParts extends Pick<CompactionDriver, "contextAfter" | "wayBack"> {
  session: Session;
  /** Reports what went wrong; the agent goes on. */
  report: (error: unknown) => void;
}

/** Compactions of a conversation that the host keeps and a plug-in follows from inside. */
export function pluginDriver({ session, report, ...parts }: PluginDriverParts): CompactionDriver {
  return {
    ...parts,
    session,
    trigger: "host",
    skipped: "the host compacted before the warning was due",
    countTokens: session.setting.countTokens,
    commit: (receipt) => commitReceipt(session, receipt),
    notify: (moment) => notify(session, moment, report),
    emit: (event) => {
      if (event.type === "error") report(new Error(event.message));
    },
  };
}

/** Tells the session's surfaces of a moment of the conversation. */
export async function notify(
  session: Session,
  moment: Moment,
  report: (error: unknown) => void,
): Promise<void> {
  const { toolbox } = session.setting;
  for (const warning of await toolbox.notify(session, moment)) report(new Error(warning));
}

/** The conversation is over for now: surfaces that keep something outside the session write their hand-over. */
export async function notifyEnd(
  session: Session,
  messages: readonly StoredMessage[],
  report: (error: unknown) => void,
): Promise<void> {
  if (messages.length === 0) return;
  await notify(session, await planSessionEnd(session, messages, session.setting.countTokens), report);
}
