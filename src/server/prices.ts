import type { Reply } from "./api.ts";

type Call = Reply<"calls">["calls"][number];

/** Dollars per million tokens. */
export interface Price {
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
}

/** Undefined for a model with an unknown price. */
export type PriceOf = (model: string) => Price | undefined;

/** By prefix of the model's name: Anthropic's list prices of autumn 2026, with five-minute cache writes. */
const prices: Readonly<Record<string, Price>> = {
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
  return longest === undefined ? undefined : prices[longest];
}

/** The cost of a call. Null where the model has no price. */
export function costOf({ tokens, usage }: Pick<Call, "tokens" | "usage">, price?: Price): number | null {
  if (!price) return null;
  const cached = Math.min(usage.cached ?? 0, tokens);
  const written = Math.min(usage.written ?? 0, tokens - cached);
  const fresh = tokens - cached - written;
  const paid = cached * price.cacheRead + written * price.cacheWrite + fresh * price.input;
  return (paid + (usage.output ?? 0) * price.output) / 1_000_000;
}
