import assert from "node:assert/strict";
import { test } from "node:test";
import { storeContract } from "./store-contract.ts";
import { brokenStores, harnessOf } from "./test-support/broken-stores.ts";

for (const broken of brokenStores) {
  test(`a store with the fault "${broken.fault}" fails the contract where it should [stores.contract-bites]`, async () => {
    const failed: string[] = [];
    for (const { name, run } of storeContract) await run(harnessOf(broken)).catch(() => failed.push(name));
    assert.ok(
      failed.includes(broken.caughtBy),
      `"${broken.caughtBy}" passed; failed: ${failed.join("; ") || "none"}`,
    );
  });
}

test("the same store without a fault passes, so the contract catches the faults [stores.contract-bites]", async () => {
  for (const { run } of storeContract) await run(harnessOf());
});

test("every case of the contract catches some fault [stores.contract-bites]", () => {
  const biting = new Set(brokenStores.map(({ caughtBy }) => caughtBy));
  assert.deepEqual(
    storeContract.map(({ name }) => name).filter((name) => !biting.has(name)),
    [],
  );
});
