import type { ModelMessage } from "ai";
import { type HashedPiece, hashPiece } from "../sessions/call-log.ts";
import type { Session } from "../sessions/session.ts";

/** A piece of a prompt before it is hashed. Messages are cached, so each is hashed once. */
export interface PromptPiece {
  part: "system" | "tools" | "memory" | "summaries" | "history" | "results";
  role: string;
  text?: string;
  message?: ModelMessage;
}

/** The facts about a call besides its prompt. */
export type CallFacts = {
  model: string;
  purpose: "turn" | "warning" | "summary";
  epoch: number;
  revision: number;
  contextWindow: number;
  /** Tokens by part: the sum of the pieces', so that the same piece counts the same in every call. */
  parts: Record<PromptPiece["part"] | "free", number>;
  /** As counted by the provider. */
  usage: { input: number | null; cached: number | null; written: number | null; output: number | null };
};

/** Max cached texts that recur in many prompts: system prompts, tool definitions. */
const maxTexts = 50;

interface TokenCounters {
  countTokens: (text: string) => number;
  messageTokens: (message: ModelMessage) => number;
}

/** Records the model's prompts, each piece once. */
export class CallRecorder {
  readonly #session: Session;
  readonly #count: TokenCounters;
  readonly #clock: () => number;
  readonly #messages = new WeakMap<ModelMessage, HashedPiece>();
  readonly #texts = new Map<string, HashedPiece>();

  constructor(session: Session, count: TokenCounters, clock: () => number) {
    this.#session = session;
    this.#count = count;
    this.#clock = clock;
  }

  /**
   * Returns the call's number; undefined if the store keeps no calls. `added` are texts of memory within the user's
   * messages; their tokens count as memory's.
   */
  async record(
    pieces: readonly PromptPiece[],
    facts: Omit<CallFacts, "parts">,
    added: readonly string[] = [],
  ): Promise<number | undefined> {
    const hashed: HashedPiece[] = [];
    for (const piece of pieces) {
      // Nearly all pieces are cached; awaiting each of them would dominate the run time.
      hashed.push(this.#known(piece) ?? (await this.#hash(piece)));
    }
    const parts = this.#partsOf(pieces, hashed, facts.contextWindow, added);
    return this.#session.calls.record(hashed, { ...facts, parts }, this.#clock());
  }

  #partsOf(
    pieces: readonly PromptPiece[],
    hashed: readonly HashedPiece[],
    contextWindow: number,
    added: readonly string[],
  ): CallFacts["parts"] {
    const parts = { system: 0, tools: 0, memory: 0, summaries: 0, history: 0, results: 0 };
    let inMessages = 0;
    for (let index = 0; index < pieces.length; index++) {
      const tokens = hashed[index]?.tokens ?? 0;
      const piece = pieces[index];
      if (!piece) continue;
      parts[piece.part] += tokens;
      if (piece.part === "memory" && piece.message) inMessages += tokens;
    }
    const addedTokens = added.reduce((sum, text) => sum + this.#count.countTokens(text), 0);
    const moved = Math.min(parts.history, Math.max(0, Math.round(addedTokens) - inMessages));
    parts.memory += moved;
    parts.history -= moved;
    const total = Object.values(parts).reduce((sum, tokens) => sum + tokens, 0);
    return { ...parts, free: Math.max(0, contextWindow - total) };
  }

  #known(piece: PromptPiece): HashedPiece | undefined {
    if (piece.message) return this.#messages.get(piece.message);
    const known = this.#texts.get(piece.text ?? "");
    return known?.part === piece.part && known.role === piece.role ? known : undefined;
  }

  async #hash(piece: PromptPiece): Promise<HashedPiece> {
    const { part, role, text, message } = piece;
    const content = message ? JSON.stringify(message) : (text ?? "");
    const hashed = {
      part,
      role,
      hash: await hashPiece({ part, role, text: content }),
      tokens: Math.round(message ? this.#count.messageTokens(message) : this.#count.countTokens(content)),
      text: content,
    };
    if (message) this.#messages.set(message, hashed);
    else {
      if (this.#texts.size >= maxTexts) this.#texts.clear();
      this.#texts.set(content, hashed);
    }
    return hashed;
  }
}
