import type { Json } from "../engine/json.ts";
import type { Scope } from "./store.ts";
import { type CallTrim, trimmedCalls } from "./trim.ts";

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
  /** What the recorder knows about the call: sizes, usage, model. */
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

/** A session's calls in memory. */
export class CallTable {
  calls: LedgerCall[] = [];
  readonly texts = new Map<string, LedgerPiece>();

  record(call: Omit<LedgerCall, "number">, pieces: ReadonlyMap<string, LedgerPiece>): LedgerCall {
    for (const [hash, piece] of pieces) if (!this.texts.has(hash)) this.texts.set(hash, piece);
    const numbered = { number: (this.calls.at(-1)?.number ?? 0) + 1, ...call };
    this.calls.push(numbered);
    return numbered;
  }

  select({ from = 1, to = Number.MAX_SAFE_INTEGER, limit, newestFirst }: CallSelection): LedgerCall[] {
    const found = this.calls.filter(({ number }) => number >= from && number <= to);
    return (newestFirst ? found.toReversed() : found).slice(0, limit);
  }

  restore(calls: readonly LedgerCall[], pieces: ReadonlyMap<string, LedgerPiece>): void {
    for (const [hash, piece] of pieces) if (!this.texts.has(hash)) this.texts.set(hash, piece);
    const known = new Set(this.calls.map(({ number }) => number));
    this.calls.push(...calls.filter(({ number }) => !known.has(number)));
    this.calls.sort((a, b) => a.number - b.number);
  }

  /** False if another call was recorded since the plan was made. */
  trim(plan: CallTrim): boolean {
    if (this.calls.at(-1)?.number !== plan.last) return false;
    this.calls = trimmedCalls(this.calls, plan);
    for (const hash of plan.unused) this.texts.delete(hash);
    return true;
  }

  pieces(hashes: readonly string[]): Map<string, LedgerPiece> {
    const found = hashes.flatMap((hash): [string, LedgerPiece][] => {
      const piece = this.texts.get(hash);
      return piece ? [[hash, piece]] : [];
    });
    return new Map(found);
  }
}
