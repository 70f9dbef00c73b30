import { memoryStore } from "../../stores/memory.ts";
import type { Store } from "../../stores/store.ts";
import { brokenLedgers } from "./broken-ledgers.ts";
import { brokenReads } from "./broken-reads.ts";
import { brokenTrims } from "./broken-trims.ts";
import { brokenWrites } from "./broken-writes.ts";

/** A store with one fault, and the contract case that must catch it. */
export interface BrokenStore {
  fault: string;
  caughtBy: string;
  breakIt(store: Store): Partial<Store>;
}

export const brokenStores: readonly BrokenStore[] = [
  ...brokenReads,
  ...brokenWrites,
  ...brokenLedgers,
  ...brokenTrims,
];

/** Handles on one in-memory store that outlives them like a durable store; each handle has the fault. */
export function harnessOf(broken?: BrokenStore) {
  const store = memoryStore();
  return {
    durable: true,
    watchTimeout: 50,
    open: async (): Promise<Store> => ({ ...store, close: async () => {}, ...broken?.breakIt(store) }),
  };
}
