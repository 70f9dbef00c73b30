import type { JsonLine, LineWarning } from "./json-lines.ts";
import type { Message } from "./line.ts";

/** What a provider counted for one call. `input` is neither read from nor written to the cache. */
export interface TokenCounts {
  input: number;
  cacheWrite: number;
  cacheRead: number;
  output: number;
}

/** A model call as a host recorded it. */
export interface ModelCall {
  /** Messages of one call share its id; "" when the host records none. */
  id: string;
  model: string;
  usage: TokenCounts;
  /** Dollars, if recorded. */
  cost: number | undefined;
}

/** What happened in a recorded session, in order. */
export type RecordedEvent =
  | { type: "message"; message: Message; at: number; call?: ModelCall }
  | {
      type: "compaction";
      summary: string;
      /** How many messages came before the first one that was kept; undefined: none was kept. */
      keptFrom?: number | undefined;
    };

/** How one host's recorded sessions are read. */
export interface Recording {
  matches(lines: readonly JsonLine[]): boolean;
  read(
    text: string,
    parsed: { lines: JsonLine[]; warnings: LineWarning[] },
  ): { events: readonly RecordedEvent[]; warnings: LineWarning[] };
}
