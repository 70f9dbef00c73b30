import type { Learned } from "../engine/records.ts";
import type { CompactionPolicy } from "./usage.ts";

/** How many of the newest growths count: a turn often alternates between small and large steps. */
const remembered = 4;

/** At most this share of the window is kept free for growth; more would waste the window. */
const maxShare = 0.25;

/** What is known after one more call. Growth can only be measured within an epoch. */
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
