import { z } from "zod";
import { estimateTokens } from "../context/estimate-tokens.ts";
import { agentDefaults } from "../engine/agent-defaults.ts";
import { readEpoch } from "../engine/conversation.ts";
import { isObject, type Json } from "../engine/json.ts";
import type { State } from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import type { HashedPiece } from "../sessions/call-log.ts";
import type { Session } from "../sessions/session.ts";
import type { Reply, SessionItem } from "./api.ts";
import type { Handlers, ServerContext } from "./handlers.ts";
import type { HostCall, HostConversation, HostMessage } from "./hosts.ts";
import { textOfStored, viewHostMessage } from "./messages.ts";

export type ModelCall = Reply<"call">["call"];
type Parts = ModelCall["parts"];
type PieceView = Reply<"call">["pieces"][number];
type Sources = Pick<ServerContext, "hosts">;

/** Characters of a piece to show in a call. */
const maxShown = 16_000;
/** How far back to look for the agent's last turn: a compaction makes a few calls of its own. */
const maxLookBack = 20;
/** Calls to learn from when the window is compacted. */
const maxLearned = 120;
const batchSize = 250;
/** Journal entries to look through for the revisions of a transcript's calls: the journal may be very long. */
const maxEntries = 5_000;

const partNames = ["system", "tools", "memory", "summaries", "history", "results"] as const;
const tokens = z.number().catch(0);
const reported = z.number().nullable().catch(null);
const noParts: Parts = { system: 0, tools: 0, memory: 0, summaries: 0, history: 0, results: 0 };

/** The recorded facts of a call, with defaults for missing ones. */
const callFacts = z.object({
  model: z.string().catch(""),
  purpose: z.enum(["turn", "warning", "summary"]).catch("turn"),
  epoch: z.int().min(0).catch(0),
  revision: z.int().min(0).catch(0),
  contextWindow: tokens,
  parts: z
    .object({
      system: tokens,
      tools: tokens,
      memory: tokens,
      summaries: tokens,
      history: tokens,
      results: tokens,
    })
    .catch(noParts),
  usage: z
    .object({ input: reported, cached: reported, written: reported, output: reported })
    .catch({ input: null, cached: null, written: null, output: null }),
});

export function callHandlers(context: ServerContext): Pick<Handlers, "calls" | "call"> {
  const { memory } = context;
  return {
    async calls({ params: { id }, query: { before, limit } }) {
      const session = await memory.resumeSession(id);
      const total = (await callsOf(session, { limit: 1 }, context))[0]?.number ?? 0;
      const to = before === undefined ? {} : { to: before - 1 };
      const calls = await withRevisions(session, await callsOf(session, { limit, ...to }, context));
      const oldest = calls[0]?.number ?? 1;
      return { calls, total, before: oldest > 1 ? oldest : null, cuts: await cutsAmong(session, calls) };
    },

    async call({ params: { id, number }, query: { whole } }) {
      const session = await memory.resumeSession(id);
      const recorded = await recordedCall(session, number, context);
      if (!recorded) throw await callGone(session, number);
      const { call, pieces } = recorded;
      const before = await comparableCall(session, call, context);
      const other = before === null ? undefined : await recordedCall(session, before, context);
      const now = new Set(pieces.map(({ hash }) => hash));
      const known = new Set(other?.pieces.map(({ hash }) => hash));
      const kept = other ? commonLength(other.pieces, pieces) : 0;
      const views = viewPieces(pieces, call.parts, whole === undefined ? maxShown : Infinity).map(
        (piece): PieceView => ({
          ...piece,
          change: piece.index < kept ? "same" : known.has(piece.hash) ? "moved" : "added",
        }),
      );
      const same = views.slice(0, kept).reduce((sum, piece) => sum + piece.tokens, 0);
      const [withRevision = call] = await withRevisions(session, [call]);
      return {
        call: withRevision,
        pieces: whole === undefined ? views : views.filter(({ index }) => index === whole),
        isBare: pieces.length === 0,
        against: other?.call.number ?? null,
        prefix:
          call.usage.cached === null
            ? { pieces: kept, tokens: same, basis: "estimate" }
            : { pieces: kept, tokens: call.usage.cached, basis: "provider" },
        gone: other
          ? viewPieces(other.pieces, other.call.parts, maxShown).filter(({ hash }) => !now.has(hash))
          : [],
      };
    },
  };
}

/** A session's model calls, oldest first: as its ledger recorded them, or as its host's transcript did. */
export async function callsOf(
  session: Session,
  selection: { limit: number; to?: number },
  sources: Sources,
): Promise<ModelCall[]> {
  const recorded = await session.calls.list(selection);
  if (recorded.length > 0) return recorded.reverse().map(viewCall);
  const conversation = await sources.hosts.conversation(session.id);
  if (!conversation) return [];
  const epoch = readEpoch(await session.state()).number;
  const to = Math.min(conversation.calls.length, selection.to ?? conversation.calls.length);
  const from = Math.max(0, to - selection.limit);
  return conversation.calls
    .slice(from, to)
    .map((call, index) => viewHostCall(conversation, call, from + index + 1, epoch));
}

/** A call and all of its pieces; undefined when it is not recorded. */
export async function recordedCall(
  session: Session,
  number: number,
  sources: Sources,
): Promise<{ call: ModelCall; pieces: HashedPiece[] } | undefined> {
  const recorded = await session.calls.read(number);
  if (recorded) return { call: viewCall(recorded), pieces: recorded.pieces };
  const conversation = await sources.hosts.conversation(session.id);
  const found = conversation?.calls[number - 1];
  if (!conversation || !found) return undefined;
  const epoch = readEpoch(await session.state()).number;
  const call = viewHostCall(conversation, found, number, epoch);
  const unseen: HashedPiece = {
    part: "system",
    role: "system",
    hash: "system-of-the-host",
    tokens: call.parts.system,
    text: "The coding agent's system prompt, its tools and what it adds to messages. Its transcript does not contain them: this is the provider's count without the messages.",
  };
  return { call, pieces: [unseen, ...hostPieces(conversation, found)] };
}

/** How full the window is, and when the next compaction comes. The page has no other number for it. */
export async function windowOf(
  session: Session,
  state: State,
  { hosts }: Sources,
): Promise<SessionItem["window"]> {
  const own = (await session.calls.list({ limit: maxLearned })).reverse();
  const recent = own.length > 0 ? undefined : await hosts.recent(session.id);
  const calls = recent
    ? recent.calls.map((call) => ({
        ...sizeOfHostCall(call),
        model: call.model,
        purpose: "turn",
        number: null,
      }))
    : own.map(viewCall).filter(({ purpose }) => purpose !== "summary");
  const last = calls.at(-1);
  if (!last || last.contextWindow === 0) return null;
  const limit = last.contextWindow;
  const epoch = readEpoch(state).number;
  // A transcript counts its compactions itself.
  const isCompactedSince = recent ? last.epoch < recent.compactions.length : last.epoch < epoch;
  const receipts = epoch > 1 ? await session.receipts() : [];
  const receipt = isCompactedSince ? receipts.at(-1) : undefined;
  const size = receipt ? receipt.tokensAfter : last.tokens;
  const before = calls.findLast((call) => call.epoch < (isCompactedSince ? last.epoch + 1 : last.epoch));
  // A person may compact at any fill.
  const isPlanned =
    recent !== undefined ||
    receipts.some((each) => each.epoch === before?.epoch && whenFull.includes(each.trigger));
  const learned = isPlanned && before?.contextWindow === limit ? before.tokens : undefined;
  const host = recent && hosts.limits(session.id, last);
  const warned = isCompactedSince ? undefined : calls.find((call) => isWarning(call) && call.epoch === epoch);
  const planned = recent ? undefined : (plannedFills(own) ?? standardFills(limit));
  const warnAt = planned ? Math.min(planned.warnAt, warned?.tokens ?? limit) : host?.warnAt;
  const compactAt = host?.compactAt ?? (Math.max(learned ?? 0, planned?.compactAt ?? 0) || limit);
  const step = growthOf(calls.filter((call) => call.epoch === last.epoch && call.purpose === "turn"));
  return {
    tokens: Math.round(size),
    limit,
    isLimitKnown: recent === undefined,
    basis: receipt ? "estimate" : last.basis,
    warnAt: warnAt === undefined ? null : Math.round(Math.min(warnAt, compactAt)),
    compactAt: Math.round(compactAt),
    isLearned: host !== undefined || learned === compactAt,
    callsLeft: step === undefined ? null : Math.max(0, Math.floor((compactAt - size) / step)),
    call: receipt ? null : last.number,
  };
}

const whenFull: readonly string[] = ["threshold", "projected"];

function isWarning({ purpose }: { purpose: string }): boolean {
  return purpose === "warning";
}

/** Tokens by which the newest calls grew, on average; undefined when there are too few. */
function growthOf(calls: readonly { tokens: number }[]): number | undefined {
  const newest = calls.slice(-6);
  const rising = newest
    .slice(1)
    .map(({ tokens: size }, index) => size - (newest[index]?.tokens ?? 0))
    .filter((growth) => growth > 0);
  return rising.length < 2 ? undefined : rising.reduce((sum, each) => sum + each, 0) / rising.length;
}

interface Fills {
  warnAt: number;
  compactAt: number;
}

/** The fills by the agent's own policy, as of its newest turn; undefined when no call recorded them. */
function plannedFills(calls: readonly { facts: Json }[]): Fills | undefined {
  for (const { facts } of calls.toReversed()) {
    if (!isObject(facts) || facts.purpose !== "turn") continue;
    const { warnAt, compactAt } = facts;
    if (typeof warnAt === "number" && typeof compactAt === "number") return { warnAt, compactAt };
  }
  return undefined;
}

function standardFills(limit: number): Fills {
  return { warnAt: limit * agentDefaults.compactAt, compactAt: limit };
}

export function viewCall({ number, at, facts }: { number: number; at: number; facts: Json }): ModelCall {
  const { usage, parts, ...known } = callFacts.parse(isObject(facts) ? facts : {});
  const estimate = partNames.reduce((sum, part) => sum + parts[part], 0);
  const { input, ...rest } = usage;
  const size = Math.round(input ?? estimate);
  return {
    number,
    at,
    ...known,
    source: "ledger",
    tokens: size,
    basis: input === null ? "estimate" : "provider",
    parts: divide(size, parts),
    usage: rest,
  };
}

/** Divides tokens in the proportion of estimates, so that the parts add up. */
function divide(size: number, estimates: Parts): Parts {
  const sum = partNames.reduce((all, part) => all + estimates[part], 0);
  if (sum === 0) return { ...noParts, system: size };
  const parts = { ...noParts };
  for (const part of partNames) parts[part] = Math.floor((size * estimates[part]) / sum);
  const largest = partNames.reduce((best, part) => (estimates[part] > estimates[best] ? part : best));
  parts[largest] += size - partNames.reduce((all, part) => all + parts[part], 0);
  return parts;
}

function sizeOfHostCall({ usage, contextWindow, compactions }: HostCall) {
  return { tokens: usage.input, contextWindow, epoch: compactions, basis: "provider" as const };
}

function viewHostCall(
  conversation: HostConversation,
  call: HostCall,
  number: number,
  epoch: number,
): ModelCall {
  const { at, model, usage, compactions } = call;
  return {
    ...sizeOfHostCall(call),
    number,
    at,
    model,
    purpose: "turn",
    // The host may have compacted before Holdfast was there, so count from the end.
    epoch: Math.max(0, epoch - (conversation.compactions.length - compactions)),
    revision: 0,
    source: "transcript",
    parts: hostParts(hostPieces(conversation, call), usage.input),
    usage: { cached: usage.cached, written: usage.written, output: usage.output },
  };
}

function hostPieces({ messages, compactions }: HostConversation, call: HostCall): HashedPiece[] {
  const summary = compactions[call.compactions - 1]?.summary ?? "";
  const first: HashedPiece = {
    part: "summaries",
    role: "user",
    hash: `summary-${call.compactions}`,
    tokens: tokensIn(summary),
    text: summary,
  };
  return [...(summary === "" ? [] : [first]), ...messages.slice(call.from - 1, call.to).map(pieceOf)];
}

function pieceOf(message: HostMessage): HashedPiece {
  const { number, stored, isMemory } = message;
  const { role } = viewHostMessage(message, "in context", 0);
  const text = textOfStored(stored);
  return {
    part: isMemory ? "memory" : role === "tool" ? "results" : "history",
    role,
    hash: `message-${number}`,
    tokens: tokensIn(text),
    text: isMemory ? memoryText(stored) : JSON.stringify(isObject(stored) ? stored.message : stored),
  };
}

/** An injected text as it was given, without any escape. */
export function memoryText(stored: Json): string {
  const message = isObject(stored) ? stored.message : undefined;
  return isObject(message) && typeof message.content === "string" ? message.content : textOfStored(stored);
}

/** The transcript does not contain the system prompt and the tools. */
function hostParts(pieces: readonly HashedPiece[], size: number): Parts {
  const sums = { ...noParts };
  for (const { part, tokens: each } of pieces) sums[partOf(part)] += each;
  const known = partNames.reduce((sum, part) => sum + sums[part], 0);
  if (known > size) return divide(size, sums);
  return { ...sums, system: size - known };
}

const counted = new Map<string, number>();
const maxCounted = 20_000;

/** Cached: the same messages are part of call after call. */
function tokensIn(text: string): number {
  const known = counted.get(text);
  if (known !== undefined) return known;
  if (counted.size >= maxCounted) counted.clear();
  const size = Math.round(estimateTokens(text));
  counted.set(text, size);
  return size;
}

/** The calls of a transcript have only a time: their revision is the newest that was written before. */
async function withRevisions(session: Session, calls: ModelCall[]): Promise<ModelCall[]> {
  const [first] = calls;
  if (first?.source !== "transcript") return calls;
  const revisions = calls.map(() => 0);
  let to = (await session.state()).row.revision;
  for (let read = 0; read < maxEntries && to > 0; read += batchSize) {
    const entries = await session.history({ to, limit: batchSize });
    for (const [index, call] of calls.entries())
      revisions[index] ||= entries.find(({ at }) => at <= call.at)?.revision ?? 0;
    const oldest = entries.at(-1);
    if (!oldest || revisions[0] || oldest.at <= first.at) break;
    to = oldest.revision - 1;
    await new Promise(setImmediate);
  }
  return calls.map((call, index) => ({ ...call, revision: revisions[index] ?? 0 }));
}

/** The epochs of these calls that ended with a compaction; a fold ends an epoch too. */
async function cutsAmong(session: Session, calls: readonly ModelCall[]): Promise<number[]> {
  const [first] = calls;
  if (!first) return [];
  const cuts = (await session.receipts()).map(({ epoch }) => epoch).filter((epoch) => epoch >= first.epoch);
  if (first.source === "ledger") return cuts;
  const ended = calls.flatMap(({ epoch }, index) => ((calls[index + 1]?.epoch ?? 0) > epoch ? [epoch] : []));
  return [...new Set([...cuts, ...ended])].sort((a, b) => a - b);
}

/**
 * The call to compare with: a turn with the agent's last turn, any other call with the agent's last prompt. The calls of
 * a compaction have prompts of their own, so next to them every piece would look new.
 */
async function comparableCall(
  session: Session,
  { number, purpose }: ModelCall,
  sources: Sources,
): Promise<number | null> {
  if (number <= 1) return null;
  const earlier = await callsOf(session, { to: number - 1, limit: maxLookBack }, sources);
  const purposes = purpose === "turn" ? ["turn"] : ["turn", "warning"];
  const found = earlier.findLast((call) => purposes.includes(call.purpose));
  return found?.number ?? earlier.at(-1)?.number ?? null;
}

function commonLength(before: readonly HashedPiece[], now: readonly HashedPiece[]): number {
  const difference = now.findIndex(({ hash }, index) => hash !== before[index]?.hash);
  return difference === -1 ? now.length : difference;
}

/** Memory that came with a message is in the message's piece, so the two parts share their pieces. */
function sharedPart(part: string): keyof Parts {
  const named = partOf(part);
  return named === "history" ? "memory" : named;
}

/** Pieces in the proportion of their estimates, so that the pieces of a part add up to it. */
function viewPieces(pieces: readonly HashedPiece[], parts: Parts, max: number): PieceView[] {
  const [sizes, sums, seen, given] = [{ ...noParts }, { ...noParts }, { ...noParts }, { ...noParts }];
  for (const part of partNames) sizes[sharedPart(part)] += parts[part];
  for (const { part, tokens: each } of pieces) sums[sharedPart(part)] += each;
  return pieces.map(({ hash, part, role, text, tokens: each }, index) => {
    const shared = sharedPart(part);
    seen[shared] += each;
    const upTo = sums[shared] === 0 ? 0 : Math.round((sizes[shared] * seen[shared]) / sums[shared]);
    const share = upTo - given[shared];
    given[shared] = upTo;
    const cut = text.length > max;
    return {
      index,
      part: partOf(part),
      role,
      hash,
      tokens: share,
      text: cut ? text.slice(0, max).toWellFormed() : text,
      cut,
      change: "gone",
    };
  });
}

function partOf(part: string): PieceView["part"] {
  return partNames.find((each) => each === part) ?? "history";
}

/** Retention keeps the newest calls and those that prove a compaction. */
async function callGone(session: Session, number: number): Promise<HoldfastError> {
  const [newest] = await session.calls.list({ limit: 1 });
  if (!newest || number > newest.number) return notRecorded(`model call ${number}`, session.id);
  return new HoldfastError(
    "history_removed",
    `The prompt of model call ${number} is no longer recorded: retention keeps the newest calls of session ${session.id} and those that prove a compaction. "npx holdfast doctor" shows the rules.`,
    { data: { call: number } },
  );
}

function notRecorded(what: string, sessionId: string): HoldfastError {
  return new HoldfastError("not_found", `No ${what} is recorded for session ${sessionId}.`);
}
