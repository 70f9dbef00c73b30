import { costOf, type Prices } from "./prices.ts";
import type { SimulatedCall } from "./simulate.ts";

/** What `epoch` adds to the cost without memory, without clearing. The parts sum up to it. */
export interface EpochCost {
  /** A notepad that never changes: calls that read it from the cache, and calls that write it. Dollars. */
  read: { calls: number; cost: number };
  written: { calls: number; cost: number };
  /** The changes of the notepad. */
  changes: number;
  /** The checkpoints after compactions. */
  checkpoints: number;
}

/** The same calls with one more part of the memory in each run. */
export interface EpochRuns {
  bare: readonly SimulatedCall[];
  /** With a notepad that never changes. */
  unchanged: readonly SimulatedCall[];
  epoch: readonly SimulatedCall[];
  checkpointed: readonly SimulatedCall[];
}

export function divideEpochCost(
  { bare, unchanged, epoch, checkpointed }: EpochRuns,
  prices: readonly Prices[],
): EpochCost {
  const priceOf = ({ counts }: SimulatedCall, index: number) => costOf(counts, prices[index] as Prices);
  const total = (calls: readonly SimulatedCall[]) =>
    calls.reduce((sum, call, index) => sum + priceOf(call, index), 0);
  const read = { calls: 0, cost: 0 };
  const written = { calls: 0, cost: 0 };
  for (const [index, call] of unchanged.entries()) {
    const without = bare[index] as SimulatedCall;
    const fromCache = call.counts.cacheRead - without.counts.cacheRead;
    const part = fromCache > (promptOf(call) - promptOf(without)) / 2 ? read : written;
    part.calls++;
    part.cost += priceOf(call, index) - priceOf(without, index);
  }
  const changes = total(epoch) - total(unchanged);
  return { read, written, changes, checkpoints: total(checkpointed) - total(epoch) };
}

function promptOf({ counts: { input, cacheRead, cacheWrite } }: SimulatedCall): number {
  return input + cacheRead + cacheWrite;
}
