import assert from "node:assert/strict";
import { test } from "node:test";
import { ageOf, inBytes } from "./quantities.ts";

test("ages and sizes are printed the way people write them [people.quantities]", () => {
  assert.equal(ageOf(0, 59_000), "just now");
  assert.equal(ageOf(0, 60_000), "1 minute ago");
  assert.equal(ageOf(0, 50 * 3_600_000), "2 days ago");
  assert.equal(ageOf(1_000, 0), "just now");
  assert.deepEqual([0, 999, 1_000, 1_234_567, 250e6].map(inBytes), [
    "0 B",
    "999 B",
    "1.0 kB",
    "1.2 MB",
    "250 MB",
  ]);
});
