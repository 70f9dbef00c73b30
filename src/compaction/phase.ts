import type { Checkpoint, Epoch, Receipt } from "../engine/records.ts";

/**
 * Where a compaction by a host is. `begun`: its checkpoint is written. `finished`: its receipt is written too, and the
 * model has not been shown its memory since. `none`: nothing is under way.
 */
export type Phase = "none" | "begun" | "finished";

export interface PhaseInput {
  epoch: Epoch;
  /** The checkpoint of this epoch, if there is one. */
  checkpoint: Checkpoint | undefined;
  /** The receipt of the epoch before, if there is one. */
  receipt: Receipt | undefined;
  /** The revision of the memory that the conversation was last shown. */
  seen: number;
}

/** The epoch, its records and what was shown say it all, so nothing else keeps track of it. */
export function phaseOf({ epoch, checkpoint, receipt, seen }: PhaseInput): Phase {
  if (checkpoint) return "begun";
  // The receipt's own commit is the one after the revision that the epoch was opened at.
  return receipt && seen <= epoch.placed ? "finished" : "none";
}
