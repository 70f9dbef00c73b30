import type { SessionSelection, SessionSummary } from "./store.ts";

/** Filters and sorts sessions, for drivers without SQL. */
export function selectSessions(
  all: SessionSummary[],
  owner: string,
  { agent, statuses, parent, limit = Number.POSITIVE_INFINITY, offset = 0, after }: SessionSelection,
): SessionSummary[] {
  return all
    .filter(
      (each) =>
        each.owner === owner &&
        (agent === undefined || each.agent === agent) &&
        (parent === undefined || each.parent === parent) &&
        (statuses === undefined || statuses.includes(each.status)) &&
        (after === undefined ||
          each.updatedAt < after.updatedAt ||
          (each.updatedAt === after.updatedAt && each.id > after.id)),
    )
    .sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1))
    .slice(offset, offset + limit);
}
