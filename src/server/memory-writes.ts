import type { Session } from "../sessions/session.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import { isMemoryOperation } from "./describe-operation.ts";

/** When a call was made. A host's call has no revision, only a time. */
interface Moment {
  revision: number;
  at: number;
}

/** Journal entries per read; other requests run between two. */
const batchSize = 250;
/** Further back, writes are not counted: the journal may be very long. */
const maxEntries = 5_000;

/** How many changes of memory followed each call, up to the next; `next` is the call after the last of them. */
export async function countWrites(
  session: Session,
  calls: readonly Moment[],
  next: Moment | undefined,
): Promise<number[]> {
  const counts = calls.map(() => 0);
  const [first] = calls;
  if (!first) return counts;
  let to = next && next.revision > 0 ? next.revision : (await session.state()).row.revision;
  for (let read = 0; read < maxEntries && to > first.revision; read += batchSize) {
    const entries = await session.history({ to, limit: batchSize });
    for (const entry of entries) {
      if (!isMemoryOperation(entry.operation.type) || (next && isAfter(entry, next))) continue;
      const index = calls.findLastIndex((call) => isAfter(entry, call));
      if (index !== -1) counts[index] = (counts[index] ?? 0) + 1;
    }
    const oldest = entries.at(-1);
    if (!oldest || !isAfter(oldest, first)) break;
    to = oldest.revision - 1;
    await new Promise(setImmediate);
  }
  return counts;
}

function isAfter({ revision, at }: JournalEntry, call: Moment): boolean {
  return call.revision > 0 ? revision > call.revision : at >= call.at;
}
