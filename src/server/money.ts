import type { Reply } from "./api.ts";

type Call = Reply<"calls">["calls"][number];
type Money = NonNullable<Call["money"]>;

/** Dollars per million tokens, and the price list they come from. */
export interface Price {
  input: number;
  /** Default: as `input`. */
  cacheWrite?: number;
  cacheRead: number;
  output: number;
  basis: string;
}

/** Undefined for a model with an unknown price. */
export type PriceOf = (model: string) => Price | undefined;

/** In prompt order; the cached part is always a prefix. */
const inOrder = ["tools", "system", "memory", "summaries", "history", "results"] as const;

/**
 * The cost of a call, in total and per prompt part. Part sizes are estimates, so they are scaled to the provider's
 * reported count. `written`: tokens that the provider wrote to its cache, if it reported them.
 */
export function costOfCall(
  { model, parts, usage }: Pick<Call, "model" | "parts" | "usage">,
  priceOf: PriceOf,
  written = 0,
): Money | null {
  const price = priceOf(model);
  const estimated = inOrder.reduce((sum, part) => sum + parts[part], 0);
  if (!price || estimated === 0) return null;
  const scale = (usage.input ?? estimated) / estimated;
  let cached = usage.cached ?? 0;
  const fresh = Math.max(1, (usage.input ?? estimated) - cached);
  const freshPrice = (price.input * (fresh - written) + (price.cacheWrite ?? price.input) * written) / fresh;
  const shares = inOrder.map((part): [string, number] => {
    const size = parts[part] * scale;
    const hit = Math.min(cached, size);
    cached -= hit;
    return [part, (hit * price.cacheRead + (size - hit) * freshPrice) / 1_000_000];
  });
  const output = ((usage.output ?? 0) * price.output) / 1_000_000;
  return {
    currency: "USD",
    basis: price.basis,
    total: shares.reduce((sum, [, dollars]) => sum + dollars, output),
    output,
    parts: Object.fromEntries(shares) as Money["parts"],
  };
}
