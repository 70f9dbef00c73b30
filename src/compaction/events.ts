import type { CompactionTrigger, Handoff, Receipt } from "../engine/records.ts";

/** The events of a compaction while it runs. */
export type CompactionEvent =
  | { type: "warning"; trigger: CompactionTrigger; skipped?: string }
  | { type: "handoff"; handoff: Handoff }
  | {
      type: "compaction";
      trigger: CompactionTrigger;
      from: number;
      to: number;
      summary: string;
      summaryBy: Receipt["summaryBy"];
    }
  | { type: "receipt"; receipt: Receipt }
  | { type: "error"; message: string };
