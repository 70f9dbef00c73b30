import { type StoreHarness, storeContract } from "holdfast/testing";
import { openStore } from "./my-store.ts";

const harness = (): StoreHarness => ({ open: () => openStore(), durable: false });

for (const { name, run } of storeContract) {
  await run(harness());
  console.log(`ok ${name}`);
}
