import { memoryStore } from "../../stores/memory.ts";
import type { Store } from "../../stores/store.ts";
import { brokenLedgers } from "./broken-ledgers.ts";
import { brokenReads } from "./broken-reads.ts";
import { brokenWrites } from "./broken-writes.ts";

/** A store with one fault, and the case of the contract that has to notice it. */
export interface BrokenStore {
  fault: string;
  caughtBy: string;
  breakIt(store: Store): Partial<Store>;
}

export const brokenStores: readonly BrokenStore[] = [...brokenReads, ...brokenWrites, ...brokenLedgers];

/** Handles on one store in memory that outlives them, as a durable store would; each handle with the fault. */
export function harnessOf(broken?: BrokenStore) {
  const store = memoryStore();
  return {
    durable: true,
    patienceMilliseconds: 50,
    open: async (): Promise<Store> => ({ ...store, close: async () => {}, ...broken?.breakIt(store) }),
  };
}
