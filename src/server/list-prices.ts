import type { Price } from "./money.ts";

/**
 * Dollars per million tokens, by prefix of the model's name: Anthropic's list prices of autumn 2026, with five-minute
 * cache writes.
 */
const prices: Readonly<Record<string, Omit<Price, "basis">>> = {
  "claude-opus-5-5": { input: 4, cacheWrite: 5, cacheRead: 0.2, output: 20 },
  "claude-opus-5": { input: 5, cacheWrite: 6.25, cacheRead: 0.5, output: 25 },
  "claude-opus-4": { input: 5, cacheWrite: 6.25, cacheRead: 0.5, output: 25 },
  "claude-opus-4-1": { input: 15, cacheWrite: 18.75, cacheRead: 1.5, output: 75 },
  "claude-opus-4-0": { input: 15, cacheWrite: 18.75, cacheRead: 1.5, output: 75 },
  "claude-opus-4-20": { input: 15, cacheWrite: 18.75, cacheRead: 1.5, output: 75 },
  "claude-sonnet-5": { input: 2, cacheWrite: 2.5, cacheRead: 0.2, output: 10 },
  "claude-sonnet-4": { input: 3, cacheWrite: 3.75, cacheRead: 0.3, output: 15 },
  "claude-3-7-sonnet": { input: 3, cacheWrite: 3.75, cacheRead: 0.3, output: 15 },
  "claude-haiku-4-5": { input: 1, cacheWrite: 1.25, cacheRead: 0.1, output: 5 },
};

/** The price of a model by the longest prefix that matches; undefined if none does. */
export function listPrice(model: string): Price | undefined {
  const names = Object.keys(prices).filter((name) => model.startsWith(name));
  const [longest] = names.sort((left, right) => right.length - left.length);
  const price = longest === undefined ? undefined : prices[longest];
  return price && { ...price, basis: model };
}
