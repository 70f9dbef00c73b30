import type { Json } from "../engine/json.ts";
import type { Scope } from "./store.ts";

/** A part of a prompt, stored once even if many calls contain it. */
export interface LedgerPiece {
  /** Category: system, tools, memory, summaries, history or results. */
  part: string;
  role: string;
  tokens: number;
  text: string;
}

/** The prompt of one model call: the first `kept` pieces of the call `base`, then the pieces with these hashes. */
export interface LedgerCall {
  /** From 1, per session. */
  number: number;
  at: number;
  base: number;
  kept: number;
  pieces: string[];
  /** The recorder's facts about the call: sizes, usage, model. */
  facts: Json;
}

export interface CallSelection {
  from?: number;
  to?: number;
  limit?: number;
  newestFirst?: boolean;
}

/**
 * A log of model calls. It is not part of the memory: it has no revisions, and a power cut may lose the newest
 * calls.
 */
export interface Ledger {
  /** Returns the call's number; undefined if there is no such session. Pieces that exist are not rewritten. */
  record(
    scope: Scope,
    call: Omit<LedgerCall, "number">,
    pieces: ReadonlyMap<string, LedgerPiece>,
  ): Promise<number | undefined>;
  calls(scope: Scope, selection: CallSelection): Promise<LedgerCall[]>;
  pieces(scope: Scope, hashes: readonly string[]): Promise<Map<string, LedgerPiece>>;
  /** Adds copied calls under their own numbers; what is there already stays. May be repeated. */
  restore(
    scope: Scope,
    calls: readonly LedgerCall[],
    pieces: ReadonlyMap<string, LedgerPiece>,
  ): Promise<void>;
}
