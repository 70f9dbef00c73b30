import type { Checkpoint, Epoch, Receipt } from "../engine/records.ts";

/**
 * The progress of a host's compaction. `begun`: its checkpoint is written. `finished`: its receipt is written too, and
 * the model has not seen its memory since. `none`: no compaction is in progress.
 */
export type Phase = "none" | "begun" | "finished";

export interface PhaseInput {
  epoch: Epoch;
  /** The checkpoint of this epoch, if there is one. */
  checkpoint: Checkpoint | undefined;
  /** The receipt of the previous epoch, if there is one. */
  receipt: Receipt | undefined;
  /** The memory revision last shown to the model. */
  seen: number;
}

/** Derives the phase from the epoch, its records and the shown revision, so that no other state is needed. */
export function phaseOf({ epoch, checkpoint, receipt, seen }: PhaseInput): Phase {
  if (checkpoint) return "begun";
  // The epoch opens at revision `placed`; the receipt's own commit is the next revision.
  return receipt && seen <= epoch.placed ? "finished" : "none";
}
