import type { CompactionTrigger } from "../engine/records.ts";

/** Tokens of one prompt, by what they are spent on. */
export interface Usage {
  system: number;
  tools: number;
  memory: number;
  /** What stands for compacted messages and collapsed tasks. */
  summaries: number;
  history: number;
  results: number;
  free: number;
  total: number;
}

export interface CompactionPolicy {
  contextWindow: number;
  /** Share of the window at which the conversation is compacted. */
  compactAt: number;
  /** Share of the window that the newest messages may keep. */
  keep: number;
  /** Tokens that an answer may take. */
  outputReserve: number;
}

export type NextStep =
  | { step: "call" }
  | { step: "warn"; trigger: CompactionTrigger }
  | { step: "compact"; trigger: CompactionTrigger; skipWarning: boolean };

/** What has to happen before the next model call. */
export function planNextStep(
  used: number,
  growth: number,
  warning: "none" | "given" | "skipped",
  policy: CompactionPolicy,
): NextStep {
  const limit = policy.contextWindow * policy.compactAt;
  // One step later there may be no room left to warn the agent, so it is done now.
  const isDue = used >= limit ? "threshold" : hasRoomToWarn(used + growth, policy) ? undefined : "projected";
  // Who was told of a compaction gets it, also from a process that took over in between.
  const trigger = isDue ?? (warning === "given" ? "threshold" : undefined);
  if (!trigger) return { step: "call" };
  if (warning !== "none") return { step: "compact", trigger, skipWarning: false };
  return hasRoomToWarn(used, policy)
    ? { step: "warn", trigger }
    : { step: "compact", trigger, skipWarning: true };
}

/** Whether the agent can be warned before a compaction. */
export function hasRoomToWarn(used: number, policy: CompactionPolicy): boolean {
  return used + warningTokens + policy.outputReserve <= policy.contextWindow;
}

/** What the warning itself and a short answer to it take. */
const warningTokens = 200;
