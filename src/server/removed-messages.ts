import type { Receipt, RemovedMessage } from "../engine/records.ts";
import type { Session } from "../sessions/session.ts";
import type { Reply } from "./api.ts";
import type { ServerContext } from "./handlers/handlers.ts";
import type { HostCall, HostConversation } from "./host-sessions.ts";
import { type MessageView, readMessages, viewMessage } from "./messages.ts";

/** Characters of one part to show. */
const maxCharacters = 4_000;

/** The messages that a compaction removed: the session's own, its host's, or the lines kept of them. */
export async function readRemoved(
  session: Session,
  receipt: Receipt,
  limit: number,
  { hosts }: ServerContext,
): Promise<Reply<"removedMessages">> {
  const { epoch, from, to } = receipt;
  const total = await removedCount(session, receipt);
  const own = await readMessages(session, Math.max(1, from, to - limit + 1), to);
  if (own.length > 0 && receipt.trigger !== "host") return { messages: own, total, isPreview: false };
  const [removed] = await session.records("removed", [String(epoch)]);
  if (!removed) return { messages: [], total, isPreview: false };
  const { transcript, transcriptSize, previews = [] } = removed.value;
  const read = hosts.removed(session.id, transcript, transcriptSize);
  // A transcript that was rewritten since has other messages under these numbers.
  if (read.length > 0 && read.length === total) {
    const messages = read
      .slice(-limit)
      .map(({ number, stored }) => viewMessage(number, stored, () => "summarised", maxCharacters));
    return { messages, total, isPreview: false };
  }
  return { messages: previews.slice(-limit).map(viewPreview), total, isPreview: previews.length > 0 };
}

/** How many messages a compaction removed; a host's own count, as it numbers only those that it removes. */
export async function removedCount(session: Session, { epoch, from, to }: Receipt): Promise<number> {
  const [removed] = await session.records("removed", [String(epoch)]);
  return removed?.value.messages ?? (to === 0 ? 0 : to - from + 1);
}

/** The provider's counts of the last call before a compaction and the first one after it. */
export function countedByProvider(
  conversation: HostConversation | undefined,
  epoch: number,
): { tokensBefore: number; tokensAfter: number } | undefined {
  const before = conversation?.calls.findLast((call) => isIn(call, epoch));
  const after = conversation?.calls.find((call) => isIn(call, epoch + 1));
  return before && after && { tokensBefore: before.usage.input, tokensAfter: after.usage.input };
}

function isIn({ compactions }: HostCall, epoch: number): boolean {
  return compactions === epoch - 1;
}

function viewPreview({ number, role, line }: RemovedMessage): MessageView {
  return viewMessage(number, { message: { role, content: line } }, () => "summarised", maxCharacters);
}
