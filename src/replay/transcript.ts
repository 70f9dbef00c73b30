import type { StoredMessage } from "../context/conversation.ts";

/** What a provider counted for one call. `input` is neither read from nor written to the cache. */
export interface TokenCounts {
  input: number;
  cacheWrite: number;
  cacheRead: number;
  output: number;
}

/** One answer of the model, with the usage that was recorded for it. */
export interface RecordedCall {
  model: string;
  usage: TokenCounts;
  /** Dollars, where the transcript says. */
  cost: number | undefined;
  /** How many of the transcript's messages came before it. */
  messages: number;
  /** When it was asked for and when it was answered, in milliseconds; 0 when unknown. */
  askedAt: number;
  answeredAt: number;
}

export interface RecordedCompaction {
  /** How many of the transcript's messages came before it. */
  messages: number;
  /** Index of the first message that stayed in the prompt. */
  keptFrom: number;
  summary: string;
}

export interface TranscriptWarning {
  /** Counted from 1. */
  line: number;
  message: string;
}

/** A recorded session, whichever program wrote it. */
export interface Transcript {
  /** The name of the host that wrote it. */
  format: string;
  /** In order; `number` is the index plus one. */
  messages: StoredMessage[];
  calls: RecordedCall[];
  compactions: RecordedCompaction[];
  warnings: TranscriptWarning[];
}
