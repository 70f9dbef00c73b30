import type { Epoch, Handoff, Receipt } from "../engine/records.ts";

/**
 * The progress of a host's compaction. `begun`: its handoff is written. `finished`: its receipt is written too, and
 * the model has not seen its memory since. `none`: no compaction is in progress.
 */
export type Phase = "none" | "begun" | "finished";

export interface PhaseInput {
  epoch: Epoch;
  /** The handoff of this epoch, if there is one. */
  handoff: Handoff | undefined;
  /** The receipt of the previous epoch, if there is one. */
  receipt: Receipt | undefined;
  /** The memory revision last shown to the model. */
  seen: number;
}

/** Derives the phase from the epoch, its records and the shown revision, so that no other state is needed. */
export function phaseOf({ epoch, handoff, receipt, seen }: PhaseInput): Phase {
  if (handoff) return "begun";
  // The epoch opens at revision `placed`; the receipt's own commit is the next revision.
  return receipt && seen <= epoch.placed ? "finished" : "none";
}
