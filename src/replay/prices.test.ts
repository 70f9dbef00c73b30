import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInPrices, costOf, parsePrices, pricesFor } from "./prices.ts";

test("the longest matching prefix of the model's name wins, otherwise the default", () => {
  assert.equal(pricesFor("claude-opus-4-5-20251101", builtInPrices).input, 5);
  assert.equal(pricesFor("claude-opus-4-1-20250805", builtInPrices).input, 15);
  assert.equal(pricesFor("claude-opus-4-20250514", builtInPrices).input, 15);
  assert.equal(pricesFor("claude-opus-5-5", builtInPrices).input, 4);
  assert.equal(pricesFor("claude-sonnet-4-5", builtInPrices).cacheRead, 0.3);
  assert.equal(pricesFor("somebody's model", builtInPrices).output, 25);
  assert.equal(pricesFor("", builtInPrices).cacheWrite, 6.25);
});

test("a custom table extends the built-in one", () => {
  const table = parsePrices('{"mine":{"input":1,"cacheWrite":2,"cacheRead":3,"output":4}}');
  assert.equal(
    costOf({ input: 1e6, cacheWrite: 1e6, cacheRead: 1e6, output: 1e6 }, pricesFor("mine-2", table)),
    10,
  );
  assert.equal(pricesFor("claude-opus-4-5", table).input, 5);
});

test("a short custom name overrides a longer built-in one", () => {
  const table = parsePrices('{"claude":{"input":1,"cacheWrite":2,"cacheRead":3,"output":4}}');
  assert.equal(pricesFor("claude-opus-4-5", table).output, 4);
  assert.equal(pricesFor("other", table).output, 25);
});

test("rejects an invalid table, naming the wrong price and giving an example", () => {
  const full = '"cacheWrite":2,"cacheRead":3,"output":4';
  for (const [text, message] of [
    ["{", /not JSON.*Write it like this/],
    ["[]", /not a JSON object/],
    ['{"m":1}', /price of input for "m".*got nothing/],
    [`{"m":{"input":-1,${full}}}`, /price of input for "m".*got -1/],
    [`{"m":{"input":"5",${full}}}`, /got "5"/],
  ] as const) {
    assert.throws(() => parsePrices(text), message, text);
  }
});
