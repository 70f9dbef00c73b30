import type { JsonLine, LineWarning } from "./json-lines.ts";
import type { Message } from "./line.ts";

/** The provider's token counts for one call. `input` excludes tokens read from or written to the cache. */
export interface TokenCounts {
  input: number;
  cacheWrite: number;
  cacheRead: number;
  output: number;
}

/** A model call as a host recorded it. */
export interface ModelCall {
  /** Shared by all messages of one call; "" if the host records none. */
  id: string;
  model: string;
  usage: TokenCounts;
}

/** One event of a recorded session. */
export type RecordedEvent =
  | { type: "message"; message: Message; at: number; call?: ModelCall }
  | {
      type: "compaction";
      summary: string;
      /** Number of messages before the first one kept; undefined if none was kept. */
      keptFrom?: number | undefined;
    };

/** Reads the recorded sessions of one host. */
export interface Recording {
  /** Where the host keeps them, as people write it. */
  folder: string;
  matches(lines: readonly JsonLine[]): boolean;
  read(
    text: string,
    parsed: { lines: JsonLine[]; warnings: LineWarning[] },
  ): { events: readonly RecordedEvent[]; warnings: LineWarning[] };
}
