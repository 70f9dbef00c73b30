import type { CompactionTrigger, Learned } from "../engine/records.ts";

/** Tokens of one prompt, by part. */
export interface Usage {
  system: number;
  tools: number;
  memory: number;
  /** Summaries of compacted messages and collapsed tasks. */
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
  /** Share of the window kept for the newest messages. */
  keep: number;
  /** Tokens reserved for an answer. */
  outputReserve: number;
}

export type NextStep =
  | { step: "call" }
  | { step: "warn"; trigger: CompactionTrigger }
  | { step: "compact"; trigger: CompactionTrigger; skipWarning: boolean };

/** Decides whether to warn or compact before the next model call. */
export function planNextStep(
  used: number,
  growth: number,
  warning: "none" | "given" | "skipped",
  policy: CompactionPolicy,
): NextStep {
  const limit = policy.contextWindow * policy.compactAt;
  // Warn now if there may be no room left for it after the next step.
  const isDue = used >= limit ? "threshold" : hasRoomToWarn(used + growth, policy) ? undefined : "projected";
  // A warning announced a compaction, so run it even if another process has taken over since.
  const trigger = isDue ?? (warning === "given" ? "threshold" : undefined);
  if (!trigger) return { step: "call" };
  if (warning !== "none") return { step: "compact", trigger, skipWarning: false };
  return hasRoomToWarn(used, policy)
    ? { step: "warn", trigger }
    : { step: "compact", trigger, skipWarning: true };
}

/** Whether the agent can be warned before a compaction. */
export function hasRoomToWarn(used: number, policy: CompactionPolicy): boolean {
  return used + warningRoom(policy) + policy.outputReserve <= policy.contextWindow;
}

/** The fills of the next prompt at which `planNextStep` warns, and about at which the conversation is compacted. */
export function plannedFills(
  growth: number,
  policy: CompactionPolicy,
): { warnAt: number; compactAt: number } {
  const { contextWindow, compactAt, outputReserve } = policy;
  const room = warningRoom(policy);
  const warnAt = Math.min(contextWindow * compactAt, contextWindow - outputReserve - room - growth);
  return { warnAt: Math.round(warnAt), compactAt: Math.round(warnAt + room) };
}

/** The fill from which an agent is warned, so that one short turn still fits before its host compacts at `limit` tokens. */
export function warnFrom(limit: number): number {
  return limit - Math.min(limit / 4, Math.max(3_000, limit * 0.04));
}

/** Tokens for the warning and what the agent writes down after it, in addition to the room for an answer. */
export function warningRoom({ contextWindow }: Pick<CompactionPolicy, "contextWindow">): number {
  return Math.max(200, Math.min(1_500, contextWindow * 0.05));
}

/** How many of the newest growths count: a turn often alternates between small and large steps. */
const remembered = 4;

/** At most this share of the window is kept free for growth; more would waste the window. */
const maxShare = 0.25;

/** The measurements after one more call. Growth can only be measured within an epoch. */
export function learnFrom(
  learned: Learned | undefined,
  call: Pick<Learned, "ratio" | "total" | "epoch">,
): Learned {
  const grown = learned?.epoch === call.epoch ? call.total - learned.total : 0;
  const growth = [...(learned?.growth ?? []), ...(grown > 0 ? [grown] : [])];
  return { ...call, growth: growth.slice(-remembered) };
}

/** Tokens by which the prompt is expected to grow before the next chance to warn the agent. */
export function expectedGrowth(learned: Learned | undefined, { contextWindow }: CompactionPolicy): number {
  return Math.min(contextWindow * maxShare, Math.max(0, ...(learned?.growth ?? [])));
}
