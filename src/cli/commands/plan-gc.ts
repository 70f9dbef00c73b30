import type { SessionStatus } from "../../engine/state.ts";

/** What gc needs to know about a session. */
export interface Candidate {
  id: string;
  status: SessionStatus;
  updatedAt: number;
  revision: number;
  bytes: number;
  /** The session that this one was forked from and shares rows with. */
  forkOf: string | null;
}

export interface Retention {
  /** Remove sessions not written to since then. */
  before?: number;
  /** Always keep this many of the newest; on its own, remove all others. */
  keep?: number;
  /** Remove the oldest until the rest fits in this many bytes. */
  maxBytes?: number;
}

export interface CollectionPlan {
  /** In the order in which they can be purged. */
  remove: Candidate[];
  /** Sessions that are kept because a remaining fork reads from them. */
  held: { id: string; fork: string }[];
}

const ranks: Record<SessionStatus, number> = { deleted: 0, archived: 1, active: 2 };

/** Removes deleted sessions first, then archived, then active ones; within each, the least recently written first. */
export function planCollection(
  sessions: readonly Candidate[],
  { before, keep = 0, maxBytes }: Retention,
): CollectionPlan {
  const inOrder = [...sessions].sort(
    (a, b) => ranks[a.status] - ranks[b.status] || a.updatedAt - b.updatedAt || (a.id < b.id ? -1 : 1),
  );
  const free = keep === 0 ? inOrder : inOrder.slice(0, -keep);
  const keepAlone = before === undefined && maxBytes === undefined;
  const old = free.filter(({ updatedAt }) => keepAlone || (before !== undefined && updatedAt < before));
  const planFor = (more: number) => planAroundForks(sessions, new Set([...old, ...free.slice(0, more)]));
  if (maxBytes === undefined) return planFor(0);
  const excess = bytesOf(sessions) - maxBytes;
  // More candidates free more bytes, so a binary search finds the fewest that are enough.
  let [few, enough] = [0, free.length];
  while (few < enough) {
    const middle = (few + enough) >> 1;
    if (bytesOf(planFor(middle).remove) >= excess) enough = middle;
    else few = middle + 1;
  }
  return planFor(few);
}

/** A session can be purged only after all of its forks; one with a remaining fork is kept. */
function planAroundForks(sessions: readonly Candidate[], selected: ReadonlySet<Candidate>): CollectionPlan {
  const forks = Map.groupBy(sessions, ({ forkOf }) => forkOf);
  const remove: Candidate[] = [];
  const held: CollectionPlan["held"] = [];
  const decisions = new Map<string, boolean>();
  const decide = (session: Candidate): boolean => {
    const known = decisions.get(session.id);
    if (known !== undefined) return known;
    decisions.set(session.id, false);
    const staying = (forks.get(session.id) ?? []).filter((fork) => !decide(fork))[0];
    const isRemoved = selected.has(session) && staying === undefined;
    if (isRemoved) remove.push(session);
    else if (selected.has(session) && staying) held.push({ id: session.id, fork: staying.id });
    decisions.set(session.id, isRemoved);
    return isRemoved;
  };
  for (const session of selected) decide(session);
  return { remove, held };
}

function bytesOf(sessions: readonly Candidate[]): number {
  return sessions.reduce((sum, { bytes }) => sum + bytes, 0);
}
