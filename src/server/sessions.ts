import { readEpoch } from "../engine/conversation.ts";
import { messageKey } from "../engine/messages.ts";
import type { Child, Receipt } from "../engine/records.ts";
import { day } from "../engine/retention.ts";
import { readText, type State, type TextTarget } from "../engine/state.ts";
import { countCharacters, oneLine } from "../engine/text.ts";
import { HoldfastError } from "../errors.ts";
import type { Session } from "../sessions/session.ts";
import type { SessionSummary } from "../stores/store.ts";
import { readScratchpad } from "../surfaces/scratchpad/operations.ts";
import { readChildren } from "../surfaces/sessions/operations.ts";
import type { SessionItem } from "./api.ts";
import { windowOf } from "./calls.ts";
import { factsOf } from "./compactions.ts";
import type { Handlers, ServerContext } from "./handlers.ts";
import { hiddenLines } from "./memory.ts";
import { viewMessage } from "./messages.ts";

type Attention = SessionItem["attention"][number];

/** A write counts as work for this long when no conversation tells more (milliseconds). */
const liveFor = 15_000;
/** A turn without a sign of life for this long was left (milliseconds). */
const turnFor = 10 * 60_000;
const nearlyFull = 0.9;
const maxPerKind = 3;
const maxText = 160;
const maxNameLength = 90;
const batchSize = 250;

export function sessionHandlers(
  context: ServerContext,
): Pick<Handlers, "listSessions" | "setStatus" | "week"> {
  const { memory, directory } = context;
  const weeks = new Map<string, { revision: number; at: number[] }>();
  return {
    async listSessions({ query: { status, parent, offset, limit } }) {
      const listed = await directory.of(status);
      const tree = new SessionTree(listed);
      const matching = parent === undefined ? listed : tree.childrenOf(parent === "none" ? null : parent);
      const page = matching.slice(offset, offset + limit);
      const end = offset + page.length;
      return {
        sessions: await Promise.all(page.map((each) => sessionItem(context, each, tree))),
        total: matching.length,
        nextOffset: end < matching.length ? end : null,
      };
    },

    async setStatus({ params: { id }, body: { status } }) {
      directory.forget();
      // The directory omits the oldest sessions of a very long list.
      const before = (await directory.find(id)) ?? (await (await memory.findSession(id))?.state())?.row;
      if (!before) {
        throw new HoldfastError("session_not_found", `Session ${JSON.stringify(id)} does not exist.`);
      }
      const person = { actor: { kind: "person" as const } };
      if (before.status !== status) {
        if (status === "archived") await memory.archiveSession(id, person);
        else if (status === "deleted") await memory.deleteSession(id, person);
        else await memory.restoreSession(id, person);
        directory.forget();
      }
      const after = await directory.find(id);
      return { revision: after?.revision ?? before.revision, before: before.status };
    },

    async week() {
      const now = context.clock();
      const midnight = new Date(now).setHours(0, 0, 0, 0);
      const days = Array.from({ length: 7 }, (_, index) => ({
        at: new Date(midnight).setDate(new Date(midnight).getDate() - 6 + index),
        compactions: 0,
      }));
      const since = days[0]?.at ?? now;
      for (const { id, updatedAt, revision } of await directory.of("all")) {
        if (updatedAt < since) break;
        const session = await memory.findSession(id);
        if (!session) continue;
        let known = weeks.get(id);
        if (known?.revision !== revision) {
          known = { revision, at: await compactionTimes(session, now - 8 * day) };
          weeks.set(id, known);
        }
        for (const at of known.at) {
          const found = days.findLast((each) => each.at <= at);
          if (found) found.compactions++;
        }
        await new Promise(setImmediate);
      }
      const compactions = days.reduce((sum, each) => sum + each.compactions, 0);
      return { days, compactions };
    },
  };
}

/** When the compactions since a time ended; a receipt itself has no time. */
async function compactionTimes(session: Session, since: number): Promise<number[]> {
  if (readEpoch(await session.state()).number < 2) return [];
  const found: number[] = [];
  for (let to: number | undefined; ; ) {
    const entries = await session.history({ limit: batchSize, ...(to === undefined ? {} : { to }) });
    for (const { at, operation } of entries)
      if (at >= since && (operation.type === "context.compact" || operation.type === "context.receipt"))
        found.push(at);
    const oldest = entries.at(-1);
    if (!oldest || oldest.at < since || entries.length < batchSize) return found;
    to = oldest.revision - 1;
    await new Promise(setImmediate);
  }
}

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
  "id" | "agent" | "title" | "status" | "origin" | "createdAt" | "updatedAt" | "revision" | "parent"
>;

/** A session as lists show it. A deleted session's state is not read. */
export async function sessionItem(
  context: ServerContext,
  summary: Summary,
  tree: SessionTree,
): Promise<SessionItem> {
  const { memory, hosts } = context;
  const session = summary.status === "deleted" ? undefined : await memory.findSession(summary.id);
  const state = await session?.state();
  const { id, agent, title, status, origin, createdAt } = summary;
  const { updatedAt, revision } = state?.row ?? summary;
  const about = hosts.about(id);
  const read = session && state && (await readItem(context, session, state));
  return {
    id,
    agent,
    title,
    name: title || about?.ask || (session && state && (await nameFrom(session, state))) || id,
    host: about?.host ?? null,
    project: about?.project || null,
    status,
    origin,
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

async function readItem(context: ServerContext, session: Session, state: State) {
  const receipts = readEpoch(state).number > 1 ? await session.receipts() : [];
  const last = receipts.at(-1);
  return {
    state: await stateOf(context, session, state),
    window: await windowOf(session, state, context),
    plan: planOf(state),
    compactions: receipts.length,
    last: last ? factsOf(last) : null,
    attention: await attentionOf(context, session, state, last),
    delegated: await delegatedWork(context, state),
  };
}

/** From the events of its turn: a question or a tool result is not answered yet, or the answer calls a tool. */
async function stateOf(
  { hosts, clock }: ServerContext,
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

/** The checkboxes of the plan, or of the notepad if there is no plan. */
function planOf(state: State): SessionItem["plan"] {
  const { plan } = readScratchpad(state);
  const boxes = [
    ...(plan || (state.row.notepad ?? "")).matchAll(/^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[([ xX])\][ \t]/gm),
  ];
  if (boxes.length === 0) return null;
  return { done: boxes.filter(([, box]) => box !== " ").length, total: boxes.length };
}

/** The items for the user to look at, the most urgent first. */
async function attentionOf(
  context: ServerContext,
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

function failedHooks({ hosts, clock }: ServerContext, id: string): Attention[] {
  const host = hosts.about(id)?.host;
  if (host === undefined) return [];
  const recent = hosts.failures().filter((each) => each.host === host && clock() - each.at < day);
  const [newest] = recent;
  if (!newest) return [];
  const failed = recent.length === 1 ? "A hook failed" : `${recent.length} hooks failed`;
  const text = `${failed} in the last day: ${newest.message}`;
  return [item("hook", failed, text, { command: "npx holdfast doctor" })];
}

async function longNotepad(context: ServerContext, session: Session, state: State): Promise<Attention[]> {
  const hidden = await hiddenLines(context, session, state);
  if (hidden === null) return [];
  const all = (state.row.notepad ?? "").split("\n").length;
  const brief = `model sees ${all - (hidden.to - hidden.from + 1)} of ${all} lines`;
  return [item("notepad", brief, `The notepad is too long: the ${brief}. Shorten it.`)];
}

function fullBudgets({ memory }: ServerContext, state: State): Attention[] {
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

async function staleRefs({ checkRef }: ServerContext, state: State): Promise<Attention[]> {
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

async function delegatedWork({ memory }: ServerContext, { row }: State): Promise<Child | null> {
  if (row.parent === null) return null;
  const state = await (await memory.findSession(row.parent))?.state();
  return (state && readChildren(state).find(([child]) => child === row.id)?.[1]) ?? null;
}
