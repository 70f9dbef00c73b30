import type { Json } from "../engine/json.ts";
import { day, leastKeptDays } from "../engine/retention.ts";
import type { Ledger, LedgerCall, LedgerPiece } from "../stores/ledger.ts";
import type { Scope } from "../stores/store.ts";
import { piecesOf } from "../stores/trim.ts";

/** A piece with the hash it is stored under. */
export interface HashedPiece extends LedgerPiece {
  hash: string;
}

/** One complete model call. */
export interface RecordedCall {
  number: number;
  at: number;
  facts: Json;
  pieces: HashedPiece[];
  /** Number of leading pieces shared with the previous call. */
  kept: number;
}

/** At least every 50th call lists all its pieces, so that reading a call never follows a long chain. */
const maxChain = 50;

/** A call builds on the one before it only if that is younger than this. */
const maxBaseAge = (leastKeptDays * day) / 2;

/** Records what each model call of a session contained. No-op if the store has no ledger. */
export class CallLog {
  readonly #ledger: Ledger | undefined;
  readonly #scope: Scope;
  readonly #hideSecrets: (text: string) => string;
  /** The last call this process recorded. Retention keeps it for a day, and with it its pieces. */
  #last: { number: number; at: number; hashes: string[]; chain: number } | undefined;

  constructor(ledger: Ledger | undefined, scope: Scope, hideSecrets: (text: string) => string) {
    this.#ledger = ledger;
    this.#scope = scope;
    this.#hideSecrets = hideSecrets;
  }

  /** Returns the call's number; undefined if it was not recorded. */
  async record(pieces: readonly HashedPiece[], facts: Json, at: number): Promise<number | undefined> {
    if (!this.#ledger) return undefined;
    const hashes = pieces.map(({ hash }) => hash);
    const recent = this.#last && at - this.#last.at < maxBaseAge ? this.#last : undefined;
    const last = recent && recent.chain < maxChain ? recent : undefined;
    const kept = last ? commonLength(last.hashes, hashes) : 0;
    const stored = new Set(recent?.hashes.slice(kept));
    const fresh = pieces.slice(kept).filter(({ hash }) => !stored.has(hash));
    const number = await this.#ledger.record(
      this.#scope,
      { at, base: kept > 0 ? (last?.number ?? 0) : 0, kept, pieces: hashes.slice(kept), facts },
      new Map(fresh.map(({ hash, ...piece }) => [hash, { ...piece, text: this.#hideSecrets(piece.text) }])),
    );
    this.#last = number === undefined ? undefined : { number, at, hashes, chain: last ? last.chain + 1 : 1 };
    return number;
  }

  /** Calls without their pieces (default order: newest first). */
  async list(
    selection: { from?: number; to?: number; limit?: number; newestFirst?: boolean } = {},
  ): Promise<Pick<LedgerCall, "number" | "at" | "facts" | "kept">[]> {
    return (await this.#ledger?.calls(this.#scope, { newestFirst: true, ...selection })) ?? [];
  }

  /** A call with all its pieces, in prompt order. */
  async read(number: number): Promise<RecordedCall | undefined> {
    const calls = await this.#ledger?.calls(this.#scope, { from: number - 2 * maxChain, to: number });
    const known = new Map(calls?.map((call) => [call.number, call]));
    const call = known.get(number);
    if (!call) return undefined;
    const hashes = piecesOf(call, known);
    const before = known.get(number - 1);
    const texts = await this.#ledger?.pieces(this.#scope, [...new Set(hashes)]);
    const pieces = hashes.flatMap((hash) => {
      const piece = texts?.get(hash);
      return piece ? [{ hash, ...piece }] : [];
    });
    const kept = before ? commonLength(piecesOf(before, known), hashes) : 0;
    return { number, at: call.at, facts: call.facts, pieces, kept };
  }

  async piece(hash: string): Promise<LedgerPiece | undefined> {
    return (await this.#ledger?.pieces(this.#scope, [hash]))?.get(hash);
  }
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  const difference = a.findIndex((hash, index) => hash !== b[index]);
  return difference === -1 ? a.length : difference;
}

/** The first half of the SHA-256 of part, role and text. */
export async function hashPiece({ part, role, text }: Omit<LedgerPiece, "tokens">): Promise<string> {
  const input = `${part}\n${role}\n${text}`;
  // Node's synchronous hash takes microseconds; Web Crypto would make every turn wait for a thread.
  const node = globalThis.process?.getBuiltinModule?.("node:crypto");
  if (node) return node.createHash("sha256").update(input, "utf8").digest("hex").slice(0, 32);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(input));
  return Array.from(new Uint8Array(digest).slice(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
}
