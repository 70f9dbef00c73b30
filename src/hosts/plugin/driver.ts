import { type CompactionDriver, planSessionEnd } from "../../compaction/compaction.ts";
import { warningFor } from "../../compaction/notices.ts";
import { warnFrom } from "../../compaction/usage.ts";
import type { StoredMessage } from "../../context/conversation.ts";
import { readEpoch } from "../../engine/conversation.ts";
import { commitReceipt } from "../../sessions/commit-receipt.ts";
import type { Session } from "../../sessions/session.ts";
import type { Moment } from "../../surfaces/surface.ts";

export interface PluginDriverParts extends Pick<CompactionDriver, "contextAfter" | "readWith" | "room"> {
  session: Session;
  /** The folder in which the agent works. */
  cwd: string;
  /** Reports a failure; the agent continues. */
  report: (error: unknown) => void;
}

/** The compaction driver for a plug-in inside a host that keeps the conversation. */
export function pluginDriver({ session, cwd, report, ...parts }: PluginDriverParts): CompactionDriver {
  return {
    ...parts,
    session,
    trigger: "host",
    skipped: "the host compacted before the warning was due",
    handoff: session.setting.handoff,
    folder: cwd,
    countTokens: session.setting.countTokens,
    commit: (receipt) => commitReceipt(session, receipt),
    notify: (moment) => notify(session, moment, report),
    emit: (event) => {
      if (event.type === "error") report(new Error(event.message));
    },
  };
}

/** Notifies the session's surfaces of a moment in the conversation. */
export async function notify(
  session: Session,
  moment: Moment,
  report: (error: unknown) => void,
): Promise<void> {
  const { toolbox } = session.setting;
  for (const warning of await toolbox.notify(session, moment)) report(new Error(warning));
}

/** Notifies the surfaces that the conversation is over for now, so that those with data outside the session write their handover. */
export async function notifyEnd(
  session: Session,
  messages: readonly StoredMessage[],
  report: (error: unknown) => void,
): Promise<void> {
  if (messages.length === 0) return;
  try {
    await notify(session, await planSessionEnd(session, messages, session.setting.countTokens), report);
  } catch (error) {
    report(error);
  }
}

/**
 * The warning, once since the last compaction, if the context holds so many `tokens` that only a short turn still fits
 * before the host compacts at `limit`; "" otherwise.
 */
export async function warn(
  session: Session,
  { tokens, limit }: { tokens: number; limit: number },
): Promise<string> {
  if (tokens < warnFrom(limit)) return "";
  const state = await session.state();
  if (readEpoch(state).warning !== "none") return "";
  const before = state.row.counters.lastMessage + 1;
  const text = warningFor((await session.context()).surfaces);
  const warning = { type: "context.warn" as const, trigger: "host" as const, before, text };
  await session.apply(warning, { actor: { kind: "system" } });
  return text;
}
