import assert from "node:assert/strict";
import { test } from "node:test";
import type { Learned } from "../engine/records.ts";
import { expectedGrowth, learnFrom } from "./growth.ts";

const policy = { contextWindow: 10_000, compactAt: 0.8, keep: 0.25, outputReserve: 1_000 };

function after(...totals: [total: number, epoch?: number][]): Learned | undefined {
  return totals.reduce<Learned | undefined>(
    (known, [total, epoch = 1]) => learnFrom(known, { ratio: 1, total, epoch }),
    undefined,
  );
}

test("growth is what the prompt gained between calls of one epoch [controller.growth]", () => {
  assert.equal(expectedGrowth(undefined, policy), 0);
  assert.deepEqual(after([1_000], [1_300], [1_400])?.growth, [300, 100]);
  assert.deepEqual(
    after([1_000], [1_300], [500, 2], [600, 2])?.growth,
    [300, 100],
    "a compaction is no growth",
  );
  assert.deepEqual(after([1_000], [900], [950])?.growth, [50], "nor is a prompt that became shorter");
});

test("the largest of the newest few is expected, at most a quarter of the window [controller.growth]", () => {
  assert.equal(expectedGrowth(after([1_000], [1_900], [2_000], [2_100]), policy), 900);
  const later = after([1_000], [1_900], [2_000], [2_100], [2_200], [2_300]);
  assert.equal(expectedGrowth(later, policy), 100, "an old jump is forgotten");
  assert.equal(expectedGrowth(after([1_000], [8_000]), policy), 2_500);
});
