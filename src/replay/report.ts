import type { Placement } from "../context/prompt.ts";
import type { LineWarning } from "../hosts/transcript/json-lines.ts";
import type { TokenCounts } from "../hosts/transcript/recording.ts";
import type { MemoryOptions } from "./memory-model.ts";
import type { Prices, PriceTable } from "./prices.ts";
import type { Transcript } from "./transcript.ts";
import type { WritingCost } from "./writing-cost.ts";

export interface ReplayOptions {
  memory?: Partial<MemoryOptions>;
  prices?: PriceTable;
  /** Default: 200,000, or 1,000,000 if the recording went beyond that. */
  contextWindow?: number;
}

export interface PolicyRow {
  placement: Placement | "none";
  clearing: boolean;
  compaction: boolean;
  tokens: TokenCounts;
  /** Share of all prompt tokens that were read from the cache. */
  hits: number;
  /** Dollars. */
  cost: number;
  /** Cost as a share of the same without memory; and of the same without clearing. */
  vsNoMemory: number;
  vsNoClearing: number;
  /** Results cleared, each of which can be recalled, and in how many batches. */
  cleared: number;
  batches: number;
  /** With clearing: the cost with perfect foresight. */
  bound: { cost: number; exact: boolean } | undefined;
  /** Tokens of the largest prompt. */
  peak: number;
}

export interface Report {
  format: Transcript["format"];
  calls: number;
  messages: number;
  /** What was paid for each model that answered. */
  prices: Record<string, Prices>;
  /** Dollars: what the transcript says, and what its usage comes to under the price table. */
  recorded: number | undefined;
  reproduced: number;
  contextWindow: number;
  memory: MemoryOptions;
  /** Where the rows with compaction compact: as recorded or, if nothing was, as Holdfast would. */
  compaction: { mode: "recorded" | "planned"; beforeCalls: number[] };
  /** Tokens of the largest prompt if nothing were ever compacted. */
  uncompacted: number;
  /** Rows without compaction are left out if no model accepts such a prompt. */
  rows: PolicyRow[];
  /** Not in the rows: it is the same for all of them. */
  writing: WritingCost;
  warnings: LineWarning[];
}
