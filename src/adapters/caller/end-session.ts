import { planSessionEnd } from "../../compaction/compaction.ts";
import { toStored } from "../../context/conversation.ts";
import { summarisedUpTo } from "../../engine/conversation.ts";
import type { Session } from "../../sessions/session.ts";
import { conversationOf } from "./conversation.ts";
import type { Listeners } from "./options.ts";

/** Ends work on a session for now: surfaces that store data outside the session write their handover. */
export async function endSession(session: Session, { emit }: Pick<Listeners, "emit">): Promise<void> {
  const { toolbox, countTokens } = session.setting;
  const to = summarisedUpTo(await session.state());
  const values = await session.messages(to + 1);
  const messages = values.map((value, index) => toStored(to + 1 + index, value));
  const end = await planSessionEnd(session, messages, countTokens);
  conversationOf(session).isStarted = false;
  for (const message of await toolbox.notify(session, end)) emit({ type: "error", message });
}
