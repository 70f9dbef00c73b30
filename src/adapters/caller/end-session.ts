import { planSessionEnd } from "../../compaction/compaction.ts";
import { toStored } from "../../context/conversation.ts";
import { summarisedUpTo } from "../../engine/conversation.ts";
import type { Session } from "../../sessions/session.ts";
import { conversationOf } from "./conversation.ts";
import { listenersOf, type PlacementOptions } from "./options.ts";

/**
 * Ends work on a session for now: surfaces that store data outside the session write their handover. Frameworks have
 * no hook for this, so call it when your conversation is over.
 */
export async function holdfastEnd(
  session: Session,
  options: Pick<PlacementOptions, "onEvent"> = {},
): Promise<void> {
  const { setting } = session;
  const conversation = conversationOf(session);
  const { toolbox = setting.toolbox } = conversation;
  const to = summarisedUpTo(await session.state());
  const values = await session.messages(to + 1);
  const messages = values.map((value, index) => toStored(to + 1 + index, value));
  const end = await planSessionEnd(session, messages, setting.countTokens);
  conversation.isStarted = false;
  for (const message of await toolbox.notify(session, end))
    listenersOf(options).emit({ type: "error", message });
}
