import type { SessionStatus } from "../../engine/state.ts";

/** What has to be known of a session to decide whether it goes. */
export interface Candidate {
  id: string;
  status: SessionStatus;
  updatedAt: number;
  revision: number;
  bytes: number;
  /** The session that this one is a fork of and shares rows with. */
  forkOf: string | null;
}

export interface Retention {
  /** Sessions not written to since then go. */
  before?: number;
  /** So many of the newest stay, whatever else is said; alone, it lets all others go. */
  keep?: number;
  /** The oldest go until the rest takes no more bytes than this. */
  maxBytes?: number;
}

export interface CollectionPlan {
  /** In the order in which they can be purged. */
  go: Candidate[];
  /** Sessions that would go, but that a fork which stays still reads from. */
  held: { id: string; fork: string }[];
}

const ranks: Record<SessionStatus, number> = { deleted: 0, archived: 1, active: 2 };

/** Deleted sessions go first, then archived ones, then active ones; the longest untouched first among each. */
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
  const planFor = (more: number) => freeOfForks(sessions, new Set([...old, ...free.slice(0, more)]));
  if (maxBytes === undefined) return planFor(0);
  const most = bytesOf(sessions) - maxBytes;
  // The more may go, the more bytes go: the fewest that are enough are found by halving.
  let [few, enough] = [0, free.length];
  while (few < enough) {
    const middle = (few + enough) >> 1;
    if (bytesOf(planFor(middle).go) >= most) enough = middle;
    else few = middle + 1;
  }
  return planFor(few);
}

/** A session can go only after all of its forks; what a remaining fork reads from stays. */
function freeOfForks(sessions: readonly Candidate[], wanted: ReadonlySet<Candidate>): CollectionPlan {
  const forks = Map.groupBy(sessions, ({ forkOf }) => forkOf);
  const go: Candidate[] = [];
  const held: CollectionPlan["held"] = [];
  const fates = new Map<string, boolean>();
  const goes = (session: Candidate): boolean => {
    const known = fates.get(session.id);
    if (known !== undefined) return known;
    fates.set(session.id, false);
    const staying = (forks.get(session.id) ?? []).filter((fork) => !goes(fork))[0];
    const fate = wanted.has(session) && staying === undefined;
    if (fate) go.push(session);
    else if (wanted.has(session) && staying) held.push({ id: session.id, fork: staying.id });
    fates.set(session.id, fate);
    return fate;
  };
  for (const session of wanted) goes(session);
  return { go, held };
}

function bytesOf(sessions: readonly Candidate[]): number {
  return sessions.reduce((sum, { bytes }) => sum + bytes, 0);
}
