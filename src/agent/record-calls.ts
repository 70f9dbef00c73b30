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
  /** Tokens by part. */
  parts: Record<string, number>;
  /** As counted by the provider. */
  usage: { input: number | null; cached: number | null; written: number | null; output: number | null };
};

/** Max cached texts that recur in many prompts: system prompts, tool definitions. */
const maxTexts = 50;

/** Records the model's prompts, each piece once. */
export class CallRecorder {
  readonly #session: Session;
  readonly #countTokens: (text: string) => number;
  readonly #clock: () => number;
  readonly #messages = new WeakMap<ModelMessage, HashedPiece>();
  readonly #texts = new Map<string, HashedPiece>();

  constructor(session: Session, countTokens: (text: string) => number, clock: () => number) {
    this.#session = session;
    this.#countTokens = countTokens;
    this.#clock = clock;
  }

  /** Returns the call's number; undefined if the store keeps no calls. */
  async record(pieces: readonly PromptPiece[], facts: CallFacts): Promise<number | undefined> {
    const hashed: HashedPiece[] = [];
    for (const piece of pieces) {
      // Nearly all pieces are cached; awaiting each of them would dominate the run time.
      hashed.push(this.#known(piece) ?? (await this.#hash(piece)));
    }
    return this.#session.calls.record(hashed, facts, this.#clock());
  }

  #known(piece: PromptPiece): HashedPiece | undefined {
    return piece.message ? this.#messages.get(piece.message) : this.#texts.get(keyOf(piece));
  }

  async #hash(piece: PromptPiece): Promise<HashedPiece> {
    const { part, role, text, message } = piece;
    const content = message ? JSON.stringify(message) : (text ?? "");
    const hashed = {
      part,
      role,
      hash: await hashPiece({ part, role, text: content }),
      tokens: Math.round(this.#countTokens(content)),
      text: content,
    };
    if (message) this.#messages.set(message, hashed);
    else {
      if (this.#texts.size >= maxTexts) this.#texts.clear();
      this.#texts.set(keyOf(piece), hashed);
    }
    return hashed;
  }
}

function keyOf({ part, role, text }: PromptPiece): string {
  return `${part}\n${role}\n${text}`;
}
