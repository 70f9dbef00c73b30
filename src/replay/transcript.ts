import type { StoredMessage } from "../context/conversation.ts";
import type { LineWarning } from "../hosts/transcript/json-lines.ts";
import type { ModelCall } from "../hosts/transcript/recording.ts";

/** One model call with its recorded usage. */
export interface RecordedCall extends Omit<ModelCall, "id"> {
  /** Number of transcript messages before it. */
  messages: number;
  /** Request and response times in milliseconds; 0 when unknown. */
  askedAt: number;
  answeredAt: number;
}

export interface RecordedCompaction {
  /** Number of transcript messages before it. */
  messages: number;
  /** Index of the first message that stayed in the prompt. */
  keptFrom: number;
  summary: string;
}

/** A recorded session of any host. */
export interface Transcript {
  /** The name of the host that wrote it. */
  format: string;
  /** In order; `number` is the index plus one. */
  messages: StoredMessage[];
  calls: RecordedCall[];
  compactions: RecordedCompaction[];
  /** The host's own counts of the context, if it records those instead of calls, and the model's window. */
  contexts: { messages: number; tokens: number }[];
  contextWindow?: number | undefined;
  warnings: LineWarning[];
}
