import { type TestContext, test } from "node:test";
import { type DriverHarness, driverContract } from "../driver-contract.ts";

/** Runs every case of the contract against harnesses of one driver. */
export function testDriver(driver: string, makeHarness: (t: TestContext) => Promise<DriverHarness>): void {
  for (const { name, run } of driverContract) {
    test(`the ${driver} ${name} [compaction.drivers]`, async (t) => {
      const harness = await makeHarness(t);
      try {
        await run(harness);
      } finally {
        await harness.dispose?.();
      }
    });
  }
}
