import { test } from "node:test";
import type { StoreHarness } from "../../testing/store-contract.ts";
import { storeContract } from "../../testing/store-contract.ts";

/** Runs every contract case against one driver. */
export function testContract(
  driver: string,
  makeHarness: () => Promise<StoreHarness & { dispose?: () => Promise<void> }>,
): void {
  for (const { name, run } of storeContract) {
    test(`${driver} store ${name} [stores.contract]`, async () => {
      const harness = await makeHarness();
      try {
        await run(harness);
      } finally {
        await harness.dispose?.();
      }
    });
  }
}
