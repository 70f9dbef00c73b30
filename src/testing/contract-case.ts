import type { Store } from "../stores/store.ts";

/** What the suite needs of a driver. */
export interface StoreHarness {
  /** A handle on the same, at first empty, store; each call opens another. */
  open(): Promise<Store>;
  /** Whether what one handle wrote is there after all handles were closed. */
  durable: boolean;
  /** How long a change may take to be heard; ten seconds unless given. */
  patienceMilliseconds?: number;
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
