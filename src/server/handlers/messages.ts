import { HoldfastError } from "../../errors.ts";
import type { Session } from "../../sessions/session.ts";
import type { HostConversation } from "../host-sessions.ts";
import { type MessageView, readMessages, viewMessage } from "../messages.ts";
import type { Handlers, ServerContext } from "./handlers.ts";

/** Characters of one part in a list. */
const maxListedCharacters = 4_000;

export function messageHandlers({ memory, hosts }: ServerContext): Pick<Handlers, "messages" | "message"> {
  /** The session's own messages, or those of its host's transcript. */
  const open = async (session: Session) => {
    const { lastMessage } = (await session.state()).row.counters;
    const conversation = lastMessage === 0 ? await hosts.conversation(session.id) : undefined;
    return {
      last: conversation?.messages.length ?? lastMessage,
      read: async (from: number, to: number, maxCharacters?: number) =>
        conversation
          ? hostMessages(conversation, from, to, maxCharacters ?? maxListedCharacters)
          : readMessages(session, from, to, maxCharacters),
    };
  };
  return {
    async messages({ params: { id }, query: { before, after, limit } }) {
      const { last, read } = await open(await memory.resumeSession(id));
      const to =
        after === undefined ? Math.min(last, (before ?? last + 1) - 1) : Math.min(last, after + limit);
      const from = after === undefined ? Math.max(1, to - limit + 1) : after + 1;
      const messages = await read(from, to);
      return {
        messages,
        first: messages[0]?.number ?? 0,
        last,
        before: messages.length > 0 && from > 1 ? from : null,
        after: messages.length > 0 && to < last ? to : null,
      };
    },

    async message({ params: { id, number } }) {
      const { read } = await open(await memory.resumeSession(id));
      const [message] = await read(number, number, Number.MAX_SAFE_INTEGER);
      if (message) return message;
      throw new HoldfastError("not_found", `Session ${id} has no message ${number}.`, { data: { number } });
    },
  };
}

function hostMessages(
  { messages, compactions }: HostConversation,
  from: number,
  to: number,
  maxCharacters: number,
): MessageView[] {
  const removed = compactions.at(-1)?.to ?? 0;
  const inContext = (number: number) => (number <= removed ? ("summarised" as const) : ("whole" as const));
  return messages
    .slice(Math.max(0, from - 1), to)
    .map(({ number, stored }) => viewMessage(number, stored, inContext, maxCharacters));
}
