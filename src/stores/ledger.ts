import type { Json } from "../engine/json.ts";
import type { Scope } from "./store.ts";

/** A part of a prompt, kept once however many calls it was in. */
export interface LedgerPiece {
  /** What it is spent on: system, tools, memory, summaries, history or results. */
  part: string;
  role: string;
  tokens: number;
  text: string;
}

/** What one model call was given: the first `kept` pieces of the call `base`, then those of these hashes. */
export interface LedgerCall {
  /** 1 for a session's first call. */
  number: number;
  at: number;
  base: number;
  kept: number;
  pieces: string[];
  /** Sizes, usage, model: whatever the recorder knows of the call. */
  facts: Json;
}

export interface CallSelection {
  from?: number;
  to?: number;
  limit?: number;
  newestFirst?: boolean;
}

/**
 * What models were given, call by call. It is kept beside the memory and not part of it: it has no revisions, and a
 * power cut may take the newest calls.
 */
export interface Ledger {
  /** Gives the call's number; undefined when there is no such session. Pieces that are there already stay as they are. */
  record(
    scope: Scope,
    call: Omit<LedgerCall, "number">,
    pieces: ReadonlyMap<string, LedgerPiece>,
  ): Promise<number | undefined>;
  calls(scope: Scope, selection: CallSelection): Promise<LedgerCall[]>;
  pieces(scope: Scope, hashes: readonly string[]): Promise<Map<string, LedgerPiece>>;
}

/** A session's calls in memory. */
export class CallTable {
  readonly calls: LedgerCall[] = [];
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

  pieces(hashes: readonly string[]): Map<string, LedgerPiece> {
    const found = hashes.flatMap((hash): [string, LedgerPiece][] => {
      const piece = this.texts.get(hash);
      return piece ? [[hash, piece]] : [];
    });
    return new Map(found);
  }
}
