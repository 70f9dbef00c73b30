import type { Json } from "../engine/json.ts";
import type { Ledger, LedgerCall, LedgerPiece } from "../stores/ledger.ts";
import type { Scope } from "../stores/store.ts";

/** A piece with the hash it is kept under. */
export interface HashedPiece extends LedgerPiece {
  hash: string;
}

/** What the model was given in one call, whole. */
export interface RecordedCall {
  number: number;
  at: number;
  facts: Json;
  pieces: HashedPiece[];
  /** How many pieces from the start are the same as in the call before. */
  kept: number;
}

/** After so many calls one names all its pieces, so that reading a call never follows a long chain. */
const longestChain = 50;

/** What a session's models were given, call by call. A store without a ledger keeps nothing of it. */
export class CallLog {
  readonly #ledger: Ledger | undefined;
  readonly #scope: Scope;
  /** Pieces that this process knows to be kept. */
  readonly #kept = new Set<string>();
  /** The last call that this process recorded. */
  #last: { number: number; hashes: string[]; chain: number } | undefined;

  constructor(ledger: Ledger | undefined, scope: Scope) {
    this.#ledger = ledger;
    this.#scope = scope;
  }

  async record(pieces: readonly HashedPiece[], facts: Json, at: number): Promise<void> {
    if (!this.#ledger) return;
    const hashes = pieces.map(({ hash }) => hash);
    const last = this.#last && this.#last.chain < longestChain ? this.#last : undefined;
    const kept = last ? commonLength(last.hashes, hashes) : 0;
    const fresh = pieces.slice(kept).filter(({ hash }) => !this.#kept.has(hash));
    const number = await this.#ledger.record(
      this.#scope,
      { at, base: kept > 0 ? (last?.number ?? 0) : 0, kept, pieces: hashes.slice(kept), facts },
      new Map(fresh.map(({ hash, ...piece }) => [hash, piece])),
    );
    if (number !== undefined) for (const { hash } of fresh) this.#kept.add(hash);
    this.#last = number === undefined ? undefined : { number, hashes, chain: last ? last.chain + 1 : 1 };
  }

  /** Without their pieces; newest first unless told otherwise. */
  async list(
    selection: { from?: number; to?: number; limit?: number; newestFirst?: boolean } = {},
  ): Promise<Pick<LedgerCall, "number" | "at" | "facts" | "kept">[]> {
    return (await this.#ledger?.calls(this.#scope, { newestFirst: true, ...selection })) ?? [];
  }

  /** A call with all its pieces, in the order in which the model was given them. */
  async read(number: number): Promise<RecordedCall | undefined> {
    const calls = await this.#ledger?.calls(this.#scope, { from: number - 2 * longestChain, to: number });
    const known = new Map(calls?.map((call) => [call.number, call]));
    const call = known.get(number);
    if (!call) return undefined;
    const hashes = hashesOf(call, known);
    const before = known.get(number - 1);
    const texts = await this.#ledger?.pieces(this.#scope, [...new Set(hashes)]);
    const pieces = hashes.flatMap((hash) => {
      const piece = texts?.get(hash);
      return piece ? [{ hash, ...piece }] : [];
    });
    const kept = before ? commonLength(hashesOf(before, known), hashes) : 0;
    return { number, at: call.at, facts: call.facts, pieces, kept };
  }

  async piece(hash: string): Promise<LedgerPiece | undefined> {
    return (await this.#ledger?.pieces(this.#scope, [hash]))?.get(hash);
  }
}

function hashesOf(call: LedgerCall, known: ReadonlyMap<number, LedgerCall>): string[] {
  const base = call.kept > 0 ? known.get(call.base) : undefined;
  return base ? [...hashesOf(base, known).slice(0, call.kept), ...call.pieces] : call.pieces;
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  const difference = a.findIndex((hash, index) => hash !== b[index]);
  return difference === -1 ? a.length : difference;
}

/** The same text in the same part has the same hash: the first half of its SHA-256. */
export async function hashPiece({ part, role, text }: Omit<LedgerPiece, "tokens">): Promise<string> {
  const whole = `${part}\n${role}\n${text}`;
  // Where there is Node, its own hash takes microseconds; the one of the web platform makes every turn wait for a thread.
  const node = globalThis.process?.getBuiltinModule?.("node:crypto");
  if (node) return node.createHash("sha256").update(whole, "utf8").digest("hex").slice(0, 32);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(whole));
  return Array.from(new Uint8Array(digest).slice(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
}
