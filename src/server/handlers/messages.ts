import { HoldfastError } from "../../errors.ts";
import { readMessages } from "../messages.ts";
import type { Handlers, ServerContext } from "./handlers.ts";

export function messageHandlers({ memory }: ServerContext): Pick<Handlers, "messages" | "message"> {
  return {
    async messages({ params: { id }, query: { before, after, limit } }) {
      const session = await memory.resumeSession(id);
      const last = (await session.state()).row.counters.lastMessage;
      const to =
        after === undefined ? Math.min(last, (before ?? last + 1) - 1) : Math.min(last, after + limit);
      const from = after === undefined ? Math.max(1, to - limit + 1) : after + 1;
      const messages = await readMessages(session, from, to);
      return {
        messages,
        first: messages[0]?.number ?? 0,
        last,
        before: messages.length > 0 && from > 1 ? from : null,
        after: messages.length > 0 && to < last ? to : null,
      };
    },

    async message({ params: { id, number } }) {
      const session = await memory.resumeSession(id);
      const [message] = await readMessages(session, number, number, Number.MAX_SAFE_INTEGER);
      if (message) return message;
      throw new HoldfastError("not_found", `Session ${id} has no message ${number}.`, { data: { number } });
    },
  };
}
