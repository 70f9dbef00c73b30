import assert from "node:assert/strict";
import { test } from "node:test";
import { listPrice } from "./list-prices.ts";

test("the longest matching prefix of the model's name wins, and an unknown model has no price", () => {
  assert.equal(listPrice("claude-opus-4-5-20251101")?.input, 5);
  assert.equal(listPrice("claude-opus-4-1-20250805")?.input, 15);
  assert.equal(listPrice("claude-opus-4-20250514")?.input, 15);
  assert.equal(listPrice("claude-opus-5-5")?.input, 4);
  assert.equal(listPrice("claude-sonnet-4-5")?.cacheRead, 0.3);
  assert.equal(listPrice("claude-sonnet-4-5")?.basis, "claude-sonnet-4-5");
  assert.equal(listPrice("somebody's model"), undefined);
  assert.equal(listPrice(""), undefined);
});
