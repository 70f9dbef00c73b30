import { readEpoch } from "../engine/conversation.ts";
import { isObject } from "../engine/json.ts";
import type { Handoff, Receipt } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import { oneLine } from "../engine/text.ts";
import { findHost } from "../hosts/hosts.ts";
import type { HostSessions } from "../server/hosts.ts";
import type { Memory } from "../sessions/memory.ts";
import type { Session } from "../sessions/session.ts";
import type { SessionSummary } from "../stores/store.ts";
import { readScratchpad } from "../surfaces/scratchpad/operations.ts";

const maxName = 90;

/** A session's title or, without one, what the user said first, or the first line of the notepad; "" for none. */
export async function nameOf(
  { id, title }: Pick<SessionSummary, "id" | "title">,
  memory: Memory,
  agents: HostSessions,
): Promise<string> {
  if (title !== null && title !== "") return title;
  const asked = agents.about(id)?.ask ?? "";
  if (asked !== "") return asked;
  const session = await memory.resumeSession(id);
  const said = (await lastHandoff(session))?.said[0]?.text;
  const { notepad } = (await session.state()).row;
  const [line = ""] = (notepad ?? "").split("\n").filter((text) => /^[^#\s]/.test(text));
  return oneLine(said ?? line.replace(/^(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/, ""), maxName);
}

/** The name of the coding agent, or the id of your own agent, if it has one. */
export function agentOf({ id, agent }: SessionSummary, agents: HostSessions): string {
  return agents.about(id)?.host ?? findHost(agent)?.title ?? (agent === "default" ? "own" : agent);
}

/** The facts of a session at a glance. */
export interface SessionFacts {
  name: string;
  agent: string;
  /** Tokens of the newest model call, of the window; undefined if no call is known. */
  window: { used: number; of: number } | undefined;
  /** Items of the plan. */
  plan: { done: number; all: number };
  receipt: Receipt | undefined;
  notepadCharacters: number;
}

export async function factsOf(
  summary: SessionSummary,
  memory: Memory,
  agents: HostSessions,
): Promise<SessionFacts> {
  const session = await memory.resumeSession(summary.id);
  const state = await session.state();
  return {
    name: await nameOf(summary, memory, agents),
    agent: agentOf(summary, agents),
    window: (await ownWindow(session)) ?? (await windowOfHost(summary.id, agents)),
    plan: await planOf(session, state),
    receipt: (await session.receipts()).at(-1),
    notepadCharacters: [...(state.row.notepad ?? "")].length,
  };
}

/** Calls that only wrote a summary are not the conversation's. */
const newestCalls = 5;

async function ownWindow({ calls }: Session): Promise<SessionFacts["window"]> {
  for (const { facts } of await calls.list({ limit: newestCalls })) {
    if (!isObject(facts) || facts.purpose === "summary" || typeof facts.contextWindow !== "number") continue;
    const { usage, parts } = facts;
    const reported = isObject(usage) && typeof usage.input === "number" ? usage.input : undefined;
    const counted = isObject(parts)
      ? Object.entries(parts).reduce((sum, [name, value]) => sum + (name === "free" ? 0 : Number(value)), 0)
      : 0;
    return { used: reported ?? counted, of: facts.contextWindow };
  }
  return undefined;
}

async function windowOfHost(id: string, agents: HostSessions): Promise<SessionFacts["window"]> {
  const call = (await agents.recent(id))?.calls.at(-1);
  return call && { used: call.usage.input, of: call.contextWindow };
}

/** The check boxes of the plan or the notepad, or else the to-do list of the last handoff. */
async function planOf(session: Session, state: State): Promise<SessionFacts["plan"]> {
  for (const text of [readScratchpad(state).plan, state.row.notepad ?? ""]) {
    const boxes = [...text.matchAll(/^[ \t]*[-*+] \[([ xX])\] /gm)].map(([, box]) => box !== " ");
    if (boxes.length > 0) return { done: boxes.filter(Boolean).length, all: boxes.length };
  }
  if (readEpoch(state).number < 2) return { done: 0, all: 0 };
  const plan = (await lastHandoff(session))?.plan ?? [];
  return { done: plan.filter(({ status }) => status === "done").length, all: plan.length };
}

async function lastHandoff(session: Session): Promise<Handoff | undefined> {
  const handoffs = (await session.records("handoff")).map(({ value }) => value);
  return handoffs.toSorted((a, b) => a.epoch - b.epoch).at(-1);
}
