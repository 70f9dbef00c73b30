import { isObject } from "../engine/json.ts";
import { HoldfastError } from "../errors.ts";
import type { TokenCounts } from "../hosts/transcript/recording.ts";

/** Dollars per million tokens of each kind. */
export type Prices = TokenCounts;

/** Prices by prefix of the model's name; the longest match wins, otherwise `default`. */
export type PriceTable = Readonly<Record<string, Prices>>;

/**
 * The prices of Opus 4.5 and Sonnet 4.5 reproduce exactly the costs that the pi sessions recorded; the others are
 * Anthropic's list prices of autumn 2026, with five-minute cache writes.
 */
export const builtInPrices: PriceTable = {
  default: { input: 5, cacheWrite: 6.25, cacheRead: 0.5, output: 25 },
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

const kinds = ["input", "cacheWrite", "cacheRead", "output"] as const;

export function pricesFor(model: string, table: PriceTable): Prices {
  const names = Object.keys(table).filter((name) => name !== "default" && model.startsWith(name));
  const longest = names.sort((left, right) => right.length - left.length)[0] ?? "default";
  return table[longest] ?? (builtInPrices.default as Prices);
}

export function costOf(counts: TokenCounts, prices: Prices): number {
  return kinds.reduce((sum, kind) => sum + counts[kind] * prices[kind], 0) / 1_000_000;
}

export function addCounts(left: TokenCounts, right: TokenCounts): TokenCounts {
  return {
    input: left.input + right.input,
    cacheWrite: left.cacheWrite + right.cacheWrite,
    cacheRead: left.cacheRead + right.cacheRead,
    output: left.output + right.output,
  };
}

/**
 * Parses a price table from JSON; models it does not name keep their built-in price.
 *
 * @example parsePrices('{"my-model":{"input":1,"cacheWrite":1.25,"cacheRead":0.1,"output":4}}')
 */
export function parsePrices(text: string): PriceTable {
  const example = '{"claude-opus-4-5":{"input":5,"cacheWrite":6.25,"cacheRead":0.5,"output":25}}';
  const table = parseJson(text, example);
  if (!isObject(table))
    throw new HoldfastError(
      "invalid_input",
      `The price table is not a JSON object. Write it like this: ${example}`,
    );
  const custom = Object.entries(table).map(
    ([model, value]) => [model, checkPrices(model, value, example)] as const,
  );
  // The user's prefix overrides every built-in name that starts with it, however specific.
  const rest = Object.entries(builtInPrices).filter(
    ([name]) => !custom.some(([model]) => name.startsWith(model)),
  );
  return Object.fromEntries([...rest, ...custom]);
}

function parseJson(text: string, example: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HoldfastError(
      "invalid_input",
      `The price table is not JSON (${(error as Error).message}). Write it like this: ${example}`,
      { cause: error },
    );
  }
}

function checkPrices(model: string, value: unknown, example: string): Prices {
  const given = isObject(value) ? value : {};
  const read = (kind: (typeof kinds)[number]): number => {
    const price = given[kind];
    if (typeof price === "number" && Number.isFinite(price) && price >= 0) return price;
    throw new HoldfastError(
      "invalid_input",
      `The price of ${kind} for ${JSON.stringify(model)} must be a number of dollars per million tokens, not below 0 (got ${JSON.stringify(price) ?? "nothing"}). Write it like this: ${example}`,
    );
  };
  return {
    input: read("input"),
    cacheWrite: read("cacheWrite"),
    cacheRead: read("cacheRead"),
    output: read("output"),
  };
}
