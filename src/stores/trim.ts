import { cutoff, type EntryAge, leastKeptDays, type RetentionRules } from "../engine/retention.ts";
import type { LedgerCall } from "./ledger.ts";
import type { Scope } from "./store.ts";

/** Removes what is no longer kept. Every call is atomic and may be repeated. */
export interface Trimming {
  /** The oldest entries of a session's journal, oldest first. */
  oldest(scope: Scope, limit: number): Promise<EntryAge[]>;
  /** Removes the entries before a revision; returns how many. Never call it for the newest revision. */
  dropEntries(scope: Scope, before: number): Promise<number>;
  /** False if another call was recorded since the plan was made. */
  dropCalls(scope: Scope, plan: CallTrim): Promise<boolean>;
  /** Bytes in use; undefined if the store cannot tell. */
  size(): Promise<number | undefined>;
}

/** The part of a session's model calls to remove. */
export interface CallTrim {
  /** The newest call when the plan was made. */
  last: number;
  remove: number[];
  /** Calls that get all their pieces listed, because the call they build on goes. */
  rewrite: { number: number; pieces: string[] }[];
  /** Pieces that no call contains any longer. */
  unused: string[];
}

/** Calls removed in one step. */
const maxRemoved = 500;

/**
 * The calls to remove, given all calls of a session, oldest first. The first request after each compaction stays whole,
 * because it proves the receipt; the compaction's own calls stay without their text.
 */
export function planCallTrim(
  calls: readonly LedgerCall[],
  now: number,
  { ledgerCalls, ledgerDays }: Pick<RetentionRules, "ledgerCalls" | "ledgerDays">,
): CallTrim | undefined {
  const last = calls.at(-1);
  if (!last) return undefined;
  const tooOld = cutoff(ledgerDays, now);
  const beyond = ledgerCalls === 0 ? 0 : calls.length - ledgerCalls;
  const isDue = ({ at }: LedgerCall, index: number) =>
    index < calls.length - 1 && at < cutoff(leastKeptDays, now) && (at < tooOld || index < beyond);
  const due = calls.filter((call, index) => isDue(call, index) && !isProof(call, calls[index - 1]));
  const bare = new Set(due.filter(isOfCompaction).map(({ number }) => number));
  const remove = due
    .filter(({ number }) => !bare.has(number))
    .map(({ number }) => number)
    .slice(0, maxRemoved);
  const known = new Map(calls.map((call) => [call.number, call]));
  const gone = new Set([...remove, ...bare]);
  const kept = calls.filter(({ number }) => !gone.has(number));
  const rewrite = [
    ...kept
      .filter(({ base }) => gone.has(base))
      .map((call) => ({ number: call.number, pieces: piecesOf(call, known) })),
    ...[...bare].filter((number) => !isBare(known.get(number))).map((number) => ({ number, pieces: [] })),
  ];
  if (remove.length === 0 && rewrite.length === 0) return undefined;
  const used = new Set(kept.flatMap((call) => piecesOf(call, known)));
  const unused = new Set(calls.flatMap(({ pieces }) => pieces).filter((hash) => !used.has(hash)));
  return { last: last.number, remove, rewrite, unused: [...unused] };
}

/** All pieces of a call, in order. */
export function piecesOf(call: LedgerCall, known: ReadonlyMap<number, LedgerCall>): string[] {
  const base = call.kept > 0 ? known.get(call.base) : undefined;
  return base ? [...piecesOf(base, known).slice(0, call.kept), ...call.pieces] : call.pieces;
}

function isBare(call: LedgerCall | undefined): boolean {
  return call?.kept === 0 && call.pieces.length === 0;
}

/** The first request of an epoch that began with a compaction. */
function isProof(call: LedgerCall, before: LedgerCall | undefined): boolean {
  const epoch = factOf(call, "epoch");
  const isFirst = before === undefined || factOf(before, "epoch") !== epoch;
  return !isOfCompaction(call) && typeof epoch === "number" && epoch > 1 && isFirst;
}

function isOfCompaction(call: LedgerCall): boolean {
  const purpose = factOf(call, "purpose");
  return purpose === "summary" || purpose === "warning";
}

function factOf({ facts }: LedgerCall, name: string): unknown {
  return typeof facts === "object" && facts !== null && !Array.isArray(facts) ? facts[name] : undefined;
}
