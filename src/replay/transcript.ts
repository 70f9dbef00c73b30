import type { StoredMessage } from "../context/conversation.ts";
import type { LineWarning } from "../hosts/transcript/json-lines.ts";
import type { ModelCall } from "../hosts/transcript/recording.ts";

/** One answer of the model, with the usage that was recorded for it. */
export interface RecordedCall extends Omit<ModelCall, "id"> {
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

/** A recorded session, whichever program wrote it. */
export interface Transcript {
  /** The name of the host that wrote it. */
  format: string;
  /** In order; `number` is the index plus one. */
  messages: StoredMessage[];
  calls: RecordedCall[];
  compactions: RecordedCompaction[];
  warnings: LineWarning[];
}
