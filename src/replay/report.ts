import type { Placement } from "../context/placement.ts";
import type { ClearingPolicy } from "../engine/clearing-policy.ts";
import type { LineWarning } from "../hosts/transcript/json-lines.ts";
import type { TokenCounts } from "../hosts/transcript/recording.ts";
import type { EpochCost } from "./epoch-cost.ts";
import type { MemoryOptions } from "./memory-model.ts";
import type { Prices, PriceTable } from "./prices.ts";
import type { SummaryCost } from "./summary-cost.ts";
import type { Transcript } from "./transcript.ts";
import type { WritingCost } from "./writing-cost.ts";

export interface ReplayOptions {
  memory?: Partial<MemoryOptions>;
  prices?: PriceTable;
  /** Default: 200,000, or 1,000,000 if the recording exceeded that. */
  contextWindow?: number;
  /** When results are cleared (default: as an agent does by default). */
  clearing?: Partial<ClearingPolicy>;
}

export interface PolicyRow {
  placement: Placement | "none";
  clearing: boolean;
  compaction: boolean;
  tokens: TokenCounts;
  /** Share of prompt tokens read from the cache. */
  hits: number;
  /** Dollars. */
  cost: number;
  /** Cost relative to the same policy without memory, and without clearing. */
  vsNoMemory: number;
  vsNoClearing: number;
  /** Number of cleared results (all recallable), and of clearing batches. */
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
  /** The prices used for each model. */
  prices: Record<string, Prices>;
  /** Dollars: as recorded in the transcript, and as computed from its usage with the price table. */
  recorded: number | undefined;
  reproduced: number;
  contextWindow: number;
  memory: MemoryOptions;
  /** Where the rows with compaction compact: as recorded or, without recorded compactions, where Holdfast would. */
  compaction: { mode: "recorded" | "planned"; beforeCalls: number[] };
  /** Tokens of the largest prompt without any compaction. */
  uncompacted: number;
  /** Rows without compaction are omitted if no model accepts such a prompt. */
  rows: PolicyRow[];
  /** Not included in the rows, because it is the same for all of them. */
  writing: WritingCost;
  /** What the rows of `epoch` without clearing cost more, and the checkpoints, which no row includes. */
  epoch: EpochCost;
  /** Compactions, and the tokens of the checkpoint after each. */
  checkpoints: { compactions: number; tokens: number };
  /** Not included for recorded compactions, whose summaries no agent records. */
  summaries: SummaryCost;
  warnings: LineWarning[];
}
