import type { Home, Traced } from "./trace-items.ts";
import { homes } from "./trace-items.ts";

/** One step of a replay: a removed message fades, and what was in it moves to where it is now. */
export interface ReplayStep {
  /** The removed message; 0: what is from before these messages. */
  source: number;
  /** Things that arrive in each place with this step. */
  arrivals: Partial<Record<Home, number>>;
}

/** The removed messages in order, each with what moves with it; a thing moves with the first message that has it. */
export function replaySteps(items: readonly Traced[], numbers: readonly number[]): ReplayStep[] {
  const hasEarlier = items.some(({ sources }) => sources.length === 0);
  return [...(hasEarlier ? [0] : []), ...numbers].map((source) => ({
    source,
    arrivals: countHomes(items.filter((item) => (item.sources[0] ?? 0) === source)),
  }));
}

/** How many things are in each place after so many steps. */
export function arrivedAfter(steps: readonly ReplayStep[], done: number): Record<Home, number> {
  const counts = Object.fromEntries(homes.map((home) => [home, 0])) as Record<Home, number>;
  for (const { arrivals } of steps.slice(0, done))
    for (const home of homes) counts[home] += arrivals[home] ?? 0;
  return counts;
}

function countHomes(items: readonly Traced[]): Partial<Record<Home, number>> {
  const counts: Partial<Record<Home, number>> = {};
  for (const { home } of items) counts[home] = (counts[home] ?? 0) + 1;
  return counts;
}
