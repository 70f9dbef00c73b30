import { HoldfastError } from "../../errors.ts";
import { searchSessions } from "../search.ts";
import { SessionTree, sessionItem } from "../session-items.ts";
import type { Handlers, ServerContext } from "./handlers.ts";

export function sessionHandlers(
  context: ServerContext,
): Pick<Handlers, "listSessions" | "setStatus" | "search"> {
  const { memory, directory } = context;
  return {
    async listSessions({ query: { status, agent, parent, offset, limit } }) {
      const listed = await directory.of(status);
      const tree = new SessionTree(listed);
      const chosen = parent === undefined ? listed : tree.childrenOf(parent === "none" ? null : parent);
      const matching = agent === undefined ? chosen : chosen.filter((each) => each.agent === agent);
      const page = matching.slice(offset, offset + limit);
      const end = offset + page.length;
      return {
        sessions: await Promise.all(page.map((each) => sessionItem(context, each, tree))),
        total: matching.length,
        nextOffset: end < matching.length ? end : null,
      };
    },

    async setStatus({ params: { id }, body: { status } }) {
      directory.forget();
      // The directory omits the oldest sessions of a very long list.
      const before = (await directory.find(id)) ?? (await (await memory.findSession(id))?.state())?.row;
      if (!before) {
        throw new HoldfastError("session_not_found", `Session ${JSON.stringify(id)} does not exist.`);
      }
      const person = { actor: { kind: "person" as const } };
      if (before.status !== status) {
        if (status === "archived") await memory.archiveSession(id, person);
        else if (status === "deleted") await memory.deleteSession(id, person);
        else await memory.restoreSession(id, person);
        directory.forget();
      }
      const after = await directory.find(id);
      return { revision: after?.revision ?? before.revision, before: before.status };
    },

    search: ({ query }) => searchSessions(context, query),
  };
}
