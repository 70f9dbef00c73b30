import type { Store } from "../stores/store.ts";
import { knowledgeOwner } from "../surfaces/knowledge/knowledge.ts";
import { type CopyOutcome, readCopy, type SessionCopy, writeCopy } from "./copy-session.ts";

const pageSize = 200;

/** Every session of an owner, of any status, and the knowledge of its agents, one at a time. */
export async function* copiesOf(store: Store, owner: string): AsyncGenerator<SessionCopy> {
  for (const each of [owner, knowledgeOwner(owner)]) {
    for (let after: { updatedAt: number; id: string } | undefined; ; ) {
      const page = await store.sessions(each, { limit: pageSize, ...(after ? { after } : {}) });
      for (const { id } of page) {
        const copy = await readCopy(store, { owner: each, sessionId: id });
        if (copy) yield copy;
      }
      after = page.at(-1);
      if (!after || page.length < pageSize) break;
    }
  }
}

export async function countSessions(store: Store, owner: string): Promise<number> {
  const counts = await Promise.all(
    [owner, knowledgeOwner(owner)].map(async (each) => (await store.sessions(each, {})).length),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Copies into a store and counts the outcomes. It does not repeat the finished part of an interrupted copy. */
export async function writeCopies(
  store: Store,
  copies: AsyncIterable<SessionCopy>,
  onSession: (done: number, copy: SessionCopy, outcome: CopyOutcome) => void = () => {},
): Promise<Record<CopyOutcome, number>> {
  const counts = { copied: 0, present: 0, different: 0 };
  let done = 0;
  for await (const copy of copies) {
    const outcome = await writeCopy(store, copy);
    counts[outcome]++;
    onSession(++done, copy, outcome);
  }
  return counts;
}
