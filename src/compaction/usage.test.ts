import assert from "node:assert/strict";
import { test } from "node:test";
import type { Learned } from "../engine/records.ts";
import { expectedGrowth, hasRoomToWarn, learnFrom, planNextStep } from "./usage.ts";

const policy = { contextWindow: 10_000, compactAt: 0.8, keep: 0.25, outputReserve: 1_000 };

test("calls the model while there is room for this call and the next [controller.next-step]", () => {
  assert.deepEqual(planNextStep(7_999, 0, "none", policy), { step: "call" });
  assert.deepEqual(planNextStep(7_000, 1_500, "none", policy), { step: "call" });
});

test("the threshold, or a next step that would leave no room to warn, ends the epoch [controller.next-step]", () => {
  assert.deepEqual(planNextStep(8_000, 0, "none", policy), { step: "warn", trigger: "threshold" });
  assert.deepEqual(planNextStep(7_000, 1_501, "none", policy), { step: "warn", trigger: "projected" });
});

test("the agent is warned once, and only while there is room for it [controller.next-step]", () => {
  assert.deepEqual(planNextStep(8_500, 0, "none", policy), { step: "warn", trigger: "threshold" });
  assert.deepEqual(planNextStep(8_501, 0, "none", policy), {
    step: "compact",
    trigger: "threshold",
    skipWarning: true,
  });
  for (const warning of ["given", "skipped"] as const) {
    assert.deepEqual(planNextStep(8_000, 0, warning, policy), {
      step: "compact",
      trigger: "threshold",
      skipWarning: false,
    });
  }
  assert.deepEqual(
    planNextStep(10, 0, "given", policy),
    { step: "compact", trigger: "threshold", skipWarning: false },
    "a warned agent gets its compaction",
  );
  assert.deepEqual(planNextStep(10, 0, "skipped", policy), { step: "call" });
  assert.ok(hasRoomToWarn(8_500, policy));
  assert.ok(!hasRoomToWarn(8_501, policy));
});

function after(...totals: [total: number, epoch?: number][]): Learned | undefined {
  return totals.reduce<Learned | undefined>(
    (known, [total, epoch = 1]) => learnFrom(known, { ratio: 1, total, epoch }),
    undefined,
  );
}

test("growth is the gain of the prompt between calls of one epoch [controller.growth]", () => {
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
