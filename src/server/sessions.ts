import { readEpoch } from "../engine/conversation.ts";
import { day } from "../engine/retention.ts";
import { HoldfastError } from "../errors.ts";
import type { Session } from "../sessions/session.ts";
import type { Handlers, ServerContext } from "./handlers.ts";
import { SessionTree, sessionItem } from "./session-item.ts";

const batchSize = 250;

export function sessionHandlers(
  context: ServerContext,
): Pick<Handlers, "listSessions" | "setStatus" | "week"> {
  const { memory, directory } = context;
  const weeks = new Map<string, { revision: number; at: number[] }>();
  return {
    async listSessions({ query: { status, parent, offset, limit } }) {
      const listed = await directory.of(status);
      const tree = new SessionTree(listed);
      const matching = parent === undefined ? listed : tree.childrenOf(parent === "none" ? null : parent);
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

    async week() {
      const now = context.clock();
      const midnight = new Date(now).setHours(0, 0, 0, 0);
      const days = Array.from({ length: 7 }, (_, index) => ({
        at: new Date(midnight).setDate(new Date(midnight).getDate() - 6 + index),
        compactions: 0,
      }));
      const since = days[0]?.at ?? now;
      for (const { id, updatedAt, revision } of await directory.of("all")) {
        if (updatedAt < since) break;
        const session = await memory.findSession(id);
        if (!session) continue;
        let known = weeks.get(id);
        if (known?.revision !== revision) {
          known = { revision, at: await compactionTimes(session, now - 8 * day) };
          weeks.set(id, known);
        }
        for (const at of known.at) {
          const found = days.findLast((each) => each.at <= at);
          if (found) found.compactions++;
        }
        await new Promise(setImmediate);
      }
      const compactions = days.reduce((sum, each) => sum + each.compactions, 0);
      return { days, compactions };
    },
  };
}

/** When the compactions since a time ended; a receipt itself has no time. */
async function compactionTimes(session: Session, since: number): Promise<number[]> {
  if (readEpoch(await session.state()).number < 2) return [];
  const found: number[] = [];
  for (let to: number | undefined; ; ) {
    const entries = await session.history({ limit: batchSize, ...(to === undefined ? {} : { to }) });
    for (const { at, operation } of entries)
      if (at >= since && (operation.type === "context.compact" || operation.type === "context.receipt"))
        found.push(at);
    const oldest = entries.at(-1);
    if (!oldest || oldest.at < since || entries.length < batchSize) return found;
    to = oldest.revision - 1;
    await new Promise(setImmediate);
  }
}
