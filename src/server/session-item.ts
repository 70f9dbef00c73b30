import { shownIn } from "../context/shown-memory.ts";
import { readEpoch } from "../engine/conversation.ts";
import { messageKey } from "../engine/messages.ts";
import type { Child, Receipt } from "../engine/records.ts";
import { day } from "../engine/retention.ts";
import { readText, type State, type TextTarget } from "../engine/state.ts";
import { countCharacters, oneLine } from "../engine/text.ts";
import type { Session } from "../sessions/session.ts";
import type { SessionSummary } from "../stores/store.ts";
import { readScratchpad } from "../surfaces/scratchpad/operations.ts";
import { readChildren } from "../surfaces/sessions/operations.ts";
import type { Reply, SessionItem } from "./api.ts";
import { windowOf } from "./calls.ts";
import { factsOf } from "./compactions.ts";
import type { ServerContext } from "./handlers.ts";
import { viewMessage } from "./messages.ts";

/** A session at a glance, for the page and for the terminal. */
type ItemContext = Pick<ServerContext, "memory" | "hosts" | "checkRef" | "clock">;

type Attention = SessionItem["attention"][number];

/** A write counts as work for this long when no conversation tells more (milliseconds). */
const liveFor = 15_000;
/** A turn without a sign of life for this long was left (milliseconds). */
const turnFor = 10 * 60_000;
const nearlyFull = 0.9;
const maxPerKind = 3;
const maxText = 160;
const maxNameLength = 90;

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
  parentOf({ parent }: Pick<SessionSummary, "parent">): string | null {
    return parent !== null && this.#listed.has(parent) ? parent : null;
  }

  /** The children of a session; for null, the roots. */
  childrenOf(parent: string | null): SessionSummary[] {
    return this.#children.get(parent) ?? [];
  }
}

type Summary = Pick<
  SessionSummary,
  "id" | "agent" | "title" | "status" | "createdAt" | "updatedAt" | "revision" | "parent"
>;

/** A session as lists show it. A deleted session's state is not read. */
export async function sessionItem(
  context: ItemContext,
  summary: Summary,
  tree: SessionTree,
): Promise<SessionItem> {
  const { memory, hosts } = context;
  const session = summary.status === "deleted" ? undefined : await memory.findSession(summary.id);
  const state = await session?.state();
  const { id, title, status, createdAt } = summary;
  const { updatedAt, revision } = state?.row ?? summary;
  const about = hosts.about(id);
  const read = session && state && (await readItem(context, session, state));
  return {
    id,
    agent: agentName(summary, hosts),
    title,
    name: (await sessionName(context, summary, session)) || id,
    host: about?.host ?? null,
    project: about?.project || null,
    status,
    parent: tree.parentOf(summary),
    children: tree.childrenOf(id).length,
    createdAt,
    updatedAt,
    revision,
    state: "quiet",
    window: null,
    plan: null,
    compactions: 0,
    last: null,
    attention: [],
    delegated: null,
    ...read,
  };
}

/** Its title, what the user asked first, or the first line of its notepad; "" for none. */
export async function sessionName(
  { hosts }: Pick<ItemContext, "hosts">,
  { id, title }: Pick<Summary, "id" | "title">,
  session: Session | undefined,
): Promise<string> {
  return title || hosts.about(id)?.ask || (session ? await nameFrom(session, await session.state()) : "");
}

/** The coding agent whose session it is, or the id of your own agent, if it has one. */
export function agentName({ id, agent }: Pick<Summary, "id" | "agent">, hosts: ItemContext["hosts"]): string {
  return hosts.about(id)?.host ?? (agent === "default" ? "own" : agent);
}

async function readItem(context: ItemContext, session: Session, state: State) {
  const receipts = readEpoch(state).number > 1 ? await session.receipts() : [];
  const last = receipts.at(-1);
  return {
    state: await stateOf(context, session, state),
    window: await windowOf(session, state, context),
    plan: await planOf(session, state),
    compactions: receipts.length,
    last: last ? factsOf(last) : null,
    attention: await attentionOf(context, session, state, last),
    delegated: await delegatedWork(context, state),
  };
}

/** From the events of its turn: a question or a tool result is not answered yet, or the answer calls a tool. */
async function stateOf(
  { hosts, clock }: ItemContext,
  session: Session,
  { row }: State,
): Promise<SessionItem["state"]> {
  const age = clock() - row.updatedAt;
  const inTurn = hosts.about(session.id)?.isInTurn ?? (await isTurnOpen(session, row.counters.lastMessage));
  if (inTurn !== undefined) return age >= turnFor ? "quiet" : inTurn ? "working" : "waiting";
  if (age >= liveFor) return "quiet";
  // Its own writes come with bookkeeping by Holdfast. An edit by a person is not work.
  const entries = await session.history({ limit: 10 });
  const agents = entries.filter(({ actor }) => actor.kind === "agent" || actor.kind === "sub-session");
  return agents.some(({ at }) => clock() - at < liveFor) ? "working" : "quiet";
}

/** Messages to look back through for the newest one that is not from a warning turn. */
const maxAsides = 50;

/** Undefined without messages. The answer to a warning does not answer the user. */
async function isTurnOpen(session: Session, last: number): Promise<boolean | undefined> {
  for (let number = last; number > Math.max(0, last - maxAsides); number--) {
    const [record] = await session.records("message", [messageKey(number)]);
    if (!record) return undefined;
    const { inWarning, role, parts } = viewMessage(number, record.value, "in context", 100);
    if (!inWarning) return role !== "assistant" || parts.some(({ type }) => type === "tool-call");
  }
  return undefined;
}

/** The checkboxes of the plan or else of the notepad. Without any, the to-do list of the last compaction's handoff. */
async function planOf(session: Session, state: State): Promise<SessionItem["plan"]> {
  for (const text of [readScratchpad(state).plan, state.row.notepad ?? ""]) {
    const boxes = [...text.matchAll(/^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[([ xX])\][ \t]/gm)];
    if (boxes.length > 0) return { done: boxes.filter(([, box]) => box !== " ").length, total: boxes.length };
  }
  const [handoff] = await session.records("handoff", [String(readEpoch(state).number - 1)]);
  const items = handoff?.value.plan ?? [];
  if (items.length === 0) return null;
  return { done: items.filter(({ status }) => status === "done").length, total: items.length };
}

/** The items for the user to look at, the most urgent first. */
async function attentionOf(
  context: ItemContext,
  session: Session,
  state: State,
  last?: Receipt,
): Promise<Attention[]> {
  const epoch = readEpoch(state).number;
  const newest = last ?? (epoch > 1 ? (await session.receipts()).at(-1) : undefined);
  return [
    ...lost(newest),
    ...failedHooks(context, session.id),
    ...(await longNotepad(context, session, state)),
    ...fullBudgets(context, state),
    ...(await staleRefs(context, state)),
    ...failedChildren(state),
  ];
}

function item(
  kind: Attention["kind"],
  brief: string,
  text: string,
  more: Partial<Attention> = {},
): Attention {
  return { kind, brief, text: oneLine(text, maxText), epoch: null, command: null, ...more };
}

function lost(receipt: Receipt | undefined): Attention[] {
  if (receipt?.rest !== "lost" || receipt.messages === 0) return [];
  const messages = receipt.messages === 1 ? "1 message" : `${receipt.messages} messages`;
  const text = `${messages} of the last compaction are lost: the agent cannot read them back.`;
  return [item("lost", `${messages} lost`, text, { epoch: receipt.epoch })];
}

function failedHooks({ hosts, clock }: ItemContext, id: string): Attention[] {
  const host = hosts.about(id)?.host;
  if (host === undefined) return [];
  const recent = hosts.failures().filter((each) => each.host === host && clock() - each.at < day);
  const [newest] = recent;
  if (!newest) return [];
  const failed = recent.length === 1 ? "A hook failed" : `${recent.length} hooks failed`;
  const text = `${failed} in the last day: ${newest.message}`;
  return [item("hook", failed, text, { command: "npx holdfast doctor" })];
}

async function longNotepad(context: ItemContext, session: Session, state: State): Promise<Attention[]> {
  const hidden = await hiddenLines(context, session, state);
  if (hidden === null) return [];
  const all = (state.row.notepad ?? "").split("\n").length;
  const brief = `model sees ${all - (hidden.to - hidden.from + 1)} of ${all} lines`;
  return [item("notepad", brief, `The notepad is too long: the ${brief}. Shorten it.`)];
}

function fullBudgets({ memory }: ItemContext, state: State): Attention[] {
  const { limits } = memory.setting;
  const charactersIn = (target: TextTarget) => countCharacters(readText(state, target));
  const budgets: [label: string, used: number, limit: number, whenFull: string][] = [
    [
      "Notepad",
      charactersIn("notepad"),
      limits.notepadCharacters,
      "Holdfast rejects a longer text and tells the agent how much fits.",
    ],
    [
      "Scratchpad notes",
      charactersIn("space/notes"),
      limits.spaceNotesCharacters,
      "Holdfast rejects an addition and cuts a new text to fit. The rest stays in the history.",
    ],
    [
      "Plan",
      charactersIn("space/plan"),
      limits.spacePlanCharacters,
      "Holdfast cuts a new plan to fit. The rest stays in the history.",
    ],
    [
      "References",
      readScratchpad(state).refs.length,
      limits.refs,
      "A new reference replaces the oldest one, and Holdfast tells the agent which.",
    ],
  ];
  return budgets.flatMap(([label, used, limit, whenFull]) => {
    if (limit === 0 || used / limit < nearlyFull) return [];
    const brief = `${label} ${Math.floor((100 * used) / limit)}\u00a0% full`;
    return [item("budget", brief, `${brief}. When it is full: ${whenFull}`)];
  });
}

async function staleRefs({ checkRef }: ItemContext, state: State): Promise<Attention[]> {
  const { refs } = readScratchpad(state);
  const states = await Promise.all(refs.map(checkRef));
  const stale = refs.filter((_, index) => states[index] === "stale");
  return stale
    .slice(0, maxPerKind)
    .map((ref) => item("reference", "a file is gone", `${ref} no longer exists, but memory refers to it.`));
}

function failedChildren(state: State): Attention[] {
  const failed = readChildren(state).filter(([, { status }]) => status === "error" || status === "lost");
  return failed
    .slice(0, maxPerKind)
    .map(([, { task }]) => item("delegated", "delegated work failed", `Delegated work failed: ${task}`));
}

/** The user's first message, else the first line of the notepad below its headings; "" if there is neither. */
async function nameFrom(session: Session, state: State): Promise<string> {
  const handoffs = readEpoch(state).number < 2 ? [] : await session.records("handoff");
  const said = handoffs
    .map(({ value }) => value)
    .sort((a, b) => a.epoch - b.epoch)
    .find((handoff) => handoff.said.length > 0)?.said[0]?.text;
  const line = (state.row.notepad ?? "").split("\n").find((text) => /^[^#\s]/.test(text));
  return oneLine(said ?? line?.replace(/^(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/, "") ?? "", maxNameLength);
}

async function delegatedWork({ memory }: ItemContext, { row }: State): Promise<Child | null> {
  if (row.parent === null) return null;
  const state = await (await memory.findSession(row.parent))?.state();
  return (state && readChildren(state).find(([child]) => child === row.id)?.[1]) ?? null;
}

/** The lines of the notepad that the model does not see; null if it sees all of them. */
export async function hiddenLines(
  { hosts }: Pick<ServerContext, "hosts">,
  session: Session,
  state: State,
): Promise<Reply<"session">["notepad"]["hidden"]> {
  const lines = (state.row.notepad ?? "").split("\n");
  const shown = shownIn(state).get("notepad");
  if (shown?.cutFrom !== undefined) return hiddenFrom(lines, shown.text);
  // A hook cuts what it injects; the last receipt has how much. Newer lines are below.
  const last = hosts.about(session.id) && (await session.receipts()).at(-1)?.notepad;
  if (!last) return null;
  const to = Math.min(lines.length, last.lines - (last.tail ?? 0));
  return last.shown < to ? { from: last.shown + 1, to } : null;
}

/** From the first to the last two lines in a row that are not there: one alone was edited since. */
function hiddenFrom(lines: readonly string[], text: string): Reply<"session">["notepad"]["hidden"] {
  const isThere = (line: string | undefined) => line !== undefined && text.includes(line.trim());
  const from = lines.findIndex((line, index) => !isThere(line) && !isThere(lines[index + 1]));
  const to = lines.findLastIndex((line, index) => !isThere(line) && !isThere(lines[index - 1]));
  return from === -1 ? null : { from: from + 1, to: Math.max(from, to) + 1 };
}

/**
 * The memory types that the agent has tools for, of those that it may lack. A coding agent has the server's. Your own agent
 * chooses in code, so it has those that the config offers and those that were written to.
 */
export async function offeredTypes(
  { hosts, offers }: Pick<ServerContext, "hosts" | "offers">,
  session: Session,
): Promise<Reply<"session">["offered"]> {
  if (hosts.about(session.id) !== undefined) {
    const { surfaces } = await session.context();
    return { notes: surfaces.includes("notes"), scratchpad: surfaces.includes("scratchpad") };
  }
  const state = await session.state();
  const { notes, plan, refs } = readScratchpad(state);
  return {
    notes: offers("notes") || state.row.counters.notes > 0,
    scratchpad: offers("scratchpad") || notes !== "" || plan !== "" || refs.length > 0,
  };
}
