import type { Store } from "../stores/store.ts";

/** The parts that the suite needs from a store driver. */
export interface StoreHarness {
  /** Opens another handle on the same store, which is empty at first. */
  open(): Promise<Store>;
  /** Whether writes survive after all handles are closed. */
  durable: boolean;
  /** How long a change may take to reach a watcher (default: 10,000). */
  watchTimeout?: number;
}

export interface ContractCase {
  name: string;
  run(harness: StoreHarness): Promise<void>;
}

export function withStore(run: (store: Store, harness: StoreHarness) => Promise<void>): ContractCase["run"] {
  return async (harness) => {
    const store = await harness.open();
    try {
      await run(store, harness);
    } finally {
      await store.close();
    }
  };
}
