import { readEpoch } from "../engine/conversation.ts";
import type { Child } from "../engine/records.ts";
import { listResident, type State } from "../engine/state.ts";
import { countCharacters, oneLine } from "../engine/text.ts";
import type { Memory } from "../sessions/memory.ts";
import type { Session } from "../sessions/session.ts";
import type { SessionSummary } from "../stores/store.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import { readChildren } from "../surfaces/sessions/operations.ts";
import { readTasks } from "../surfaces/tasks/operations.ts";
import type { Reply } from "./api.ts";
import type { ServerContext } from "./handlers/handlers.ts";

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
  { memory, hosts, clock }: Pick<ServerContext, "memory" | "hosts" | "clock">,
  summary: SessionSummary,
  tree: SessionTree,
): Promise<SessionItem> {
  const session = summary.status === "deleted" ? undefined : await memory.findSession(summary.id);
  const state = await session?.state();
  const { id, agent, title, status, origin, createdAt } = summary;
  const { updatedAt, revision } = state?.row ?? summary;
  const about = hosts.about(id);
  return {
    id,
    agent,
    title,
    name: title || about?.ask || (session && state && (await firstAsk(session, state))) || id,
    host: about?.host ?? null,
    project: about?.project || null,
    status,
    origin,
    parent: tree.parentOf(summary),
    children: tree.childrenOf(id).length,
    createdAt,
    updatedAt,
    revision,
    live: session && (await isAtWork(session, updatedAt, clock())) ? "writing" : "quiet",
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

/** Entries to look through for an agent's: its own writes come with bookkeeping by Holdfast. */
const newestEntries = 10;

/** Whether an agent wrote just now; an edit by a person, or archiving, is no work. */
async function isAtWork(session: Session, updatedAt: number, now: number): Promise<boolean> {
  if (now - updatedAt >= liveFor) return false;
  const entries = await session.history({ limit: newestEntries });
  return entries.some(({ at, actor }) => isAgents(actor) && now - at < liveFor);
}

function isAgents({ kind }: JournalEntry["actor"]): boolean {
  return kind === "agent" || kind === "sub-session";
}

const maxNameLength = 90;

/** What the user said first, for a session without a title; "" if no handoff has it. */
async function firstAsk(session: Session, state: State): Promise<string> {
  if (readEpoch(state).number < 2) return "";
  const handoffs = (await session.records("handoff")).map(({ value }) => value);
  const first = handoffs.sort((a, b) => a.epoch - b.epoch).find(({ said }) => said.length > 0);
  return oneLine(first?.said[0]?.text ?? "", maxNameLength);
}

async function delegatedWork(memory: Memory, { id, parent }: SessionSummary): Promise<Child | null> {
  if (parent === null) return null;
  const session = await memory.findSession(parent);
  const state: State | undefined = await session?.state();
  return (state && readChildren(state).find(([child]) => child === id)?.[1]) ?? null;
}
