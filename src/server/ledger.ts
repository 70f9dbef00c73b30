import { z } from "zod";
import type { Json } from "../engine/json.ts";
import { HoldfastError } from "../errors.ts";
import type { HashedPiece } from "../sessions/call-log.ts";
import type { Reply } from "./api.ts";
import type { Handlers, ServerContext } from "./handlers/handlers.ts";
import { costOfCall, type PriceOf } from "./money.ts";

export type ModelCall = Reply<"calls">["calls"][number];
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
      // Older calls did not record it.
      written: reportedTokens.default(null),
      output: reportedTokens,
    })
    .catch({ input: null, cached: null, written: null, output: null }),
});

export function ledgerHandlers({
  memory,
  priceOf,
}: ServerContext): Pick<Handlers, "calls" | "call" | "piece"> {
  return {
    async calls({ params: { id }, query: { before, limit } }) {
      const { calls } = await memory.resumeSession(id);
      const [newest] = await calls.list({ limit: 1 });
      const page = await calls.list({ limit, ...(before === undefined ? {} : { to: before - 1 }) });
      const oldest = page.at(-1)?.number ?? 1;
      return {
        calls: page.reverse().map((call) => viewCall(call, priceOf)),
        total: newest?.number ?? 0,
        before: oldest > 1 ? oldest : null,
      };
    },

    async call({ params: { id, number } }) {
      const { calls } = await memory.resumeSession(id);
      const call = await calls.read(number);
      if (!call) throw notRecorded(`model call ${number}`, id);
      const earlier = number > 1 ? await calls.read(number - 1) : undefined;
      const now = new Set(call.pieces.map(({ hash }) => hash));
      const known = new Set(earlier?.pieces.map(({ hash }) => hash));
      return {
        call: viewCall(call, priceOf),
        pieces: call.pieces.map((piece, index) => viewPiece(piece, index, call.kept, known)),
        cachedPieces: call.kept,
        previous: earlier?.number ?? null,
        removed: (earlier?.pieces ?? [])
          .filter(({ hash }) => !now.has(hash))
          .map(({ hash, part, role, text }) => ({ hash, part: partOf(part), role, ...shown(text) })),
      };
    },

    async piece({ params: { id, hash } }) {
      const { calls } = await memory.resumeSession(id);
      const piece = await calls.piece(hash);
      if (!piece) throw notRecorded(`piece ${hash}`, id);
      return { hash, text: piece.text };
    },
  };
}

function viewCall(
  { number, at, facts }: { number: number; at: number; facts: Json },
  priceOf: PriceOf,
): ModelCall {
  const known = callFacts.parse(typeof facts === "object" ? (facts ?? {}) : {});
  return { number, at, ...known, money: costOfCall(known, priceOf) };
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

function notRecorded(what: string, sessionId: string): HoldfastError {
  return new HoldfastError("not_found", `No ${what} is recorded for session ${sessionId}.`);
}
