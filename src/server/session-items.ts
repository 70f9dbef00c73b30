import { readEpoch } from "../engine/conversation.ts";
import type { Child } from "../engine/records.ts";
import { listResident, type State } from "../engine/state.ts";
import { countCharacters } from "../engine/text.ts";
import type { Memory } from "../sessions/memory.ts";
import type { SessionSummary } from "../stores/store.ts";
import { readChildren } from "../surfaces/sessions/operations.ts";
import { readTasks } from "../surfaces/tasks/operations.ts";
import type { Reply } from "./api.ts";

export type SessionItem = Reply<"listSessions">["sessions"][number];

/** A session counts as live for this long after a write (milliseconds). */
const liveFor = 15_000;

/** Parents and children among the listed sessions. */
export class SessionTree {
  readonly #listed: ReadonlySet<string>;
  readonly #children = new Map<string | null, SessionSummary[]>();

  constructor(sessions: readonly SessionSummary[]) {
    this.#listed = new Set(sessions.map(({ id }) => id));
    for (const session of sessions) {
      const parent = this.parentOf(session);
      const siblings = this.#children.get(parent);
      if (siblings) siblings.push(session);
      else this.#children.set(parent, [session]);
    }
  }

  /** Also null when the parent is not listed, so that no session disappears with its parent. */
  parentOf({ parent }: SessionSummary): string | null {
    return parent !== null && this.#listed.has(parent) ? parent : null;
  }

  /** The children of a session; for null, the roots. */
  childrenOf(parent: string | null): SessionSummary[] {
    return this.#children.get(parent) ?? [];
  }
}

/** A list item. A deleted session's state is not read, so figures from it are 0. */
export async function sessionItem(
  memory: Memory,
  summary: SessionSummary,
  tree: SessionTree,
  now: number,
): Promise<SessionItem> {
  const session = summary.status === "deleted" ? undefined : await memory.findSession(summary.id);
  const state = await session?.state();
  const { id, agent, title, status, origin, createdAt } = summary;
  const { updatedAt, revision } = state?.row ?? summary;
  return {
    id,
    agent,
    title,
    status,
    origin,
    parent: tree.parentOf(summary),
    children: tree.childrenOf(id).length,
    createdAt,
    updatedAt,
    revision,
    live: now - updatedAt < liveFor ? "writing" : "quiet",
    notes: state?.row.counters.notes ?? summary.notes,
    tags: state?.row.counters.tags ?? 0,
    messages: state?.row.counters.lastMessage ?? 0,
    openTasks: state ? readTasks(state).length : 0,
    refs: state ? listResident(state, "ref").length : 0,
    epoch: state ? readEpoch(state).number : 0,
    notepadCharacters: countCharacters(state?.row.notepad ?? ""),
    delegated: await delegatedWork(memory, summary),
  };
}

async function delegatedWork(memory: Memory, { id, parent }: SessionSummary): Promise<Child | null> {
  if (parent === null) return null;
  const session = await memory.findSession(parent);
  const state: State | undefined = await session?.state();
  return (state && readChildren(state).find(([child]) => child === id)?.[1]) ?? null;
}
