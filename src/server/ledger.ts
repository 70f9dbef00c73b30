import { z } from "zod";
import type { Json } from "../engine/json.ts";
import { HoldfastError } from "../errors.ts";
import type { HashedPiece } from "../sessions/call-log.ts";
import type { Session } from "../sessions/session.ts";
import type { Reply } from "./api.ts";
import type { Handlers, ServerContext } from "./handlers/handlers.ts";
import { hostCall, hostCalls, hostPiece } from "./host-calls.ts";
import type { HostSessions } from "./host-sessions.ts";
import { countWrites } from "./memory-writes.ts";
import { costOfCall, type PriceOf } from "./money.ts";

export type ModelCall = Reply<"call">["call"];
type PieceView = Reply<"call">["pieces"][number];

/** Characters of a piece to show in a call; the piece's own route returns all of it. */
const maxShown = 16_000;

const tokens = z.number().catch(0);
const reportedTokens = z.number().nullable().catch(null);

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
      free: tokens,
    })
    .catch({ system: 0, tools: 0, memory: 0, summaries: 0, history: 0, results: 0, free: 0 }),
  usage: z
    .object({
      input: reportedTokens,
      cached: reportedTokens,
      written: reportedTokens,
      output: reportedTokens,
    })
    .catch({ input: null, cached: null, written: null, output: null }),
});

type CallSources = Pick<ServerContext, "hosts" | "priceOf">;

export function ledgerHandlers({
  memory,
  hosts,
  priceOf,
}: ServerContext): Pick<Handlers, "calls" | "call" | "piece"> {
  return {
    async calls({ params: { id }, query: { before, limit } }) {
      const session = await memory.resumeSession(id);
      const [newest] = await callsOf(session, { limit: 1 }, { hosts, priceOf });
      const to = before === undefined ? {} : { to: before - 1 };
      const page = await callsOf(session, { limit, ...to }, { hosts, priceOf });
      const [next] =
        before === undefined ? [] : await callsOf(session, { limit: 1, to: before }, { hosts, priceOf });
      const writes = await countWrites(session, page, next);
      const oldest = page[0]?.number ?? 1;
      return {
        calls: page.map((call, index) => ({ ...call, writes: writes[index] ?? 0 })),
        total: newest?.number ?? 0,
        before: oldest > 1 ? oldest : null,
      };
    },

    async call({ params: { id, number }, query: { against } }) {
      const session = await memory.resumeSession(id);
      const recorded = await recordedCall(session, number, hosts, priceOf);
      if (!recorded) throw await callGone(session, number);
      const { view, pieces } = recorded;
      const chosen = against ?? (await comparableCall(session, view, { hosts, priceOf }));
      const other = chosen === null ? undefined : await recordedCall(session, chosen, hosts, priceOf);
      if (against !== undefined && !other) throw notRecorded(`model call ${against}`, id);
      const now = new Set(pieces.map(({ hash }) => hash));
      const known = new Set(other?.pieces.map(({ hash }) => hash));
      const kept = other ? commonLength(other.pieces, pieces) : 0;
      const keptTokens = pieces.slice(0, kept).reduce((sum, piece) => sum + piece.tokens, 0);
      return {
        call: view,
        pieces: pieces.map((piece, index) => viewPiece(piece, index, kept, known)),
        previous:
          (await callsOf(session, { to: number - 1, limit: 1 }, { hosts, priceOf }))[0]?.number ?? null,
        isBare: pieces.length === 0,
        against: other?.view.number ?? null,
        prefix: { pieces: kept, tokens: keptTokens, money: prefixMoney(keptTokens, view.model, priceOf) },
        removed: (other?.pieces ?? [])
          .filter(({ hash }) => !now.has(hash))
          .map(({ hash, part, role, text, tokens: size }) => ({
            hash,
            part: partOf(part),
            role,
            tokens: size,
            ...shown(text),
          })),
      };
    },

    async piece({ params: { id, hash } }) {
      const session = await memory.resumeSession(id);
      const text = (await session.calls.piece(hash))?.text ?? (await hostPiece(session.id, hash, hosts));
      if (text === undefined) throw notRecorded(`piece ${hash}`, id);
      return { hash, text };
    },
  };
}

/** A session's model calls, oldest first: as its ledger recorded them, or as its host's transcript did. */
export async function callsOf(
  session: Session,
  selection: { limit: number; to?: number },
  { hosts, priceOf }: CallSources,
): Promise<ModelCall[]> {
  const recorded = await session.calls.list(selection);
  if (recorded.length > 0) return recorded.reverse().map((call) => viewCall(call, priceOf));
  const calls = hostCalls(await hosts.conversation(session.id), priceOf);
  return calls.filter(({ number }) => number <= (selection.to ?? number)).slice(-selection.limit);
}

/** A call and all of its pieces; undefined when it is not recorded. */
export async function recordedCall(
  session: Session,
  number: number,
  hosts: HostSessions,
  priceOf: PriceOf,
): Promise<{ view: ModelCall; pieces: HashedPiece[] } | undefined> {
  const call = await session.calls.read(number);
  if (call) return { view: viewCall(call, priceOf), pieces: call.pieces };
  return hostCall(await hosts.conversation(session.id), number, priceOf);
}

/** How far back to look for the agent's last turn: a compaction makes a few calls of its own. */
const maxLookBack = 20;

/**
 * The call to compare with: a turn with the agent's last turn, any other call with the agent's last prompt. The calls of
 * a compaction have prompts of their own, so next to them every piece would look new.
 */
async function comparableCall(
  session: Session,
  { number, purpose }: ModelCall,
  sources: CallSources,
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

function prefixMoney(
  keptTokens: number,
  model: string,
  priceOf: PriceOf,
): { fresh: number; cached: number } | null {
  const price = priceOf(model);
  if (!price) return null;
  return {
    fresh: (keptTokens * price.input) / 1_000_000,
    cached: (keptTokens * price.cacheRead) / 1_000_000,
  };
}

function viewCall(
  { number, at, facts }: { number: number; at: number; facts: Json },
  priceOf: PriceOf,
): ModelCall {
  const known = callFacts.parse(typeof facts === "object" ? (facts ?? {}) : {});
  return { number, at, ...known, source: "ledger", money: costOfCall(known, priceOf) };
}

function viewPiece(
  { hash, part, role, text, tokens: size }: HashedPiece,
  index: number,
  kept: number,
  known: ReadonlySet<string>,
): PieceView {
  const isCached = index < kept;
  return {
    index,
    part: partOf(part),
    role,
    hash,
    tokens: size,
    characters: text.length,
    ...shown(text),
    cached: isCached,
    change: isCached ? "same" : known.has(hash) ? "moved" : "added",
  };
}

const parts = ["system", "tools", "memory", "summaries", "history", "results"] as const;

function partOf(part: string): PieceView["part"] {
  return parts.find((each) => each === part) ?? "history";
}

function shown(text: string): { text: string; cut: boolean } {
  const cut = text.length > maxShown;
  return { text: cut ? text.slice(0, maxShown).toWellFormed() : text, cut };
}

/** Retention keeps the newest calls and those that prove a compaction. */
async function callGone(session: Session, number: number): Promise<HoldfastError> {
  const [newest] = await session.calls.list({ limit: 1 });
  if (!newest || number > newest.number) return notRecorded(`model call ${number}`, session.id);
  return new HoldfastError(
    "history_removed",
    `The prompt of model call ${number} is no longer recorded: retention keeps the newest calls of session ${session.id} and those that prove a compaction. "holdfast doctor" shows the rules.`,
    { data: { call: number } },
  );
}

function notRecorded(what: string, sessionId: string): HoldfastError {
  return new HoldfastError("not_found", `No ${what} is recorded for session ${sessionId}.`);
}
