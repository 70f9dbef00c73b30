import { type OptionKind, wholeNumber } from "./options.ts";

/** How long a store keeps what is not the current memory. 0 means no limit. */
export interface RetentionRules {
  /** Days of history per session. */
  historyDays: number;
  /** Operations of history per session. */
  historyOperations: number;
  /** Days that model calls are recorded for. */
  ledgerDays: number;
  /** Model calls recorded per session. */
  ledgerCalls: number;
  /** Days after which a deleted session is removed permanently. */
  deletedDays: number;
  /** Days after which an archived session is removed permanently. */
  archivedDays: number;
}

export const defaultRetention: RetentionRules = {
  historyDays: 60,
  historyOperations: 10_000,
  ledgerDays: 30,
  ledgerCalls: 500,
  deletedDays: 30,
  archivedDays: 365,
};

export const retentionKinds = {
  historyDays: wholeNumber(0),
  historyOperations: wholeNumber(0),
  ledgerDays: wholeNumber(0),
  ledgerCalls: wholeNumber(0),
  deletedDays: wholeNumber(0),
  archivedDays: wholeNumber(0),
} satisfies Record<keyof RetentionRules, OptionKind<number>>;

export const keepEverything: RetentionRules = {
  historyDays: 0,
  historyOperations: 0,
  ledgerDays: 0,
  ledgerCalls: 0,
  deletedDays: 0,
  archivedDays: 0,
};

export const day = 86_400_000;

/** Whatever the rules say, the last day stays: callers may still repeat a call, or undo it. */
export const leastKeptDays = 1;

/** The time before which a rule removes; -Infinity if it keeps everything. */
export function cutoff(days: number, now: number): number {
  return days === 0 ? Number.NEGATIVE_INFINITY : now - days * day;
}

/** One entry of a journal without its content. */
export interface EntryAge {
  revision: number;
  at: number;
}

/**
 * The first revision to keep, given the oldest entries. History is read backwards from the current state, so only its
 * oldest part can go, without a gap. `protectedFrom`: this revision and later ones stay.
 */
export function firstKept(
  oldest: readonly EntryAge[],
  { newest, protectedFrom, now }: { newest: number; protectedFrom: number; now: number },
  { historyDays, historyOperations }: Pick<RetentionRules, "historyDays" | "historyOperations">,
): number {
  const tooOld = cutoff(historyDays, now);
  const tooMany = historyOperations === 0 ? 0 : newest - historyOperations;
  const isKept = ({ revision, at }: EntryAge) =>
    revision >= Math.min(newest, protectedFrom) ||
    at >= cutoff(leastKeptDays, now) ||
    !(at < tooOld || revision <= tooMany);
  const kept = oldest.find(isKept);
  return kept?.revision ?? (oldest.at(-1)?.revision ?? 0) + 1;
}
