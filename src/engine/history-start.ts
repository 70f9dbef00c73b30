import { HoldfastError } from "../errors.ts";

/** Where a history that retention has shortened begins. */
export interface HistoryStart {
  revision: number;
  at: number;
}

/** For people and agents who look for something older. */
export function sayHistoryStart(sessionId: string, { revision, at }: HistoryStart): string {
  const date = new Date(at).toISOString().slice(0, 10);
  return `The history of session ${sessionId} begins at revision ${revision} (${date}): retention removed what is older. "holdfast doctor" shows the rules.`;
}

/** Throws if a revision is not what the entries read for `from` to `to` contain: retention removed some of them. */
export function requireEntries(
  sessionId: string,
  entries: readonly { revision: number; at: number }[],
  { from, to }: { from: number; to: number },
): void {
  if (entries.length === Math.max(0, to - from + 1)) return;
  const [first] = [...entries].sort((a, b) => a.revision - b.revision);
  const where = first
    ? sayHistoryStart(sessionId, first)
    : `The history of session ${sessionId} begins after revision ${to}: retention removed what is older. "holdfast doctor" shows the rules.`;
  throw new HoldfastError("history_removed", `Revision ${from - 1} cannot be read any more. ${where}`, {
    data: { revision: from - 1, ...(first ? { begins: first.revision } : {}) },
  });
}
