import type { Reply } from "./api.ts";

type Call = Reply<"calls">["calls"][number];
type Money = NonNullable<Call["money"]>;

/** Dollars per million tokens, and the price list they come from. */
export interface Price {
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
  basis: string;
}

/** Undefined for a model with an unknown price. */
export type PriceOf = (model: string) => Price | undefined;

/** In prompt order; what is read from the cache is a prefix, and what is written to it follows. */
const inOrder = ["tools", "system", "memory", "summaries", "history", "results"] as const;

/**
 * The cost of a call, in total and per prompt part. Part sizes are estimates, so they are scaled to the provider's
 * reported count.
 */
export function costOfCall(
  { model, parts, usage }: Pick<Call, "model" | "parts" | "usage">,
  priceOf: PriceOf,
): Money | null {
  const price = priceOf(model);
  const estimated = inOrder.reduce((sum, part) => sum + parts[part], 0);
  if (!price || estimated === 0) return null;
  const scale = (usage.input ?? estimated) / estimated;
  let cached = usage.cached ?? 0;
  let written = usage.written ?? 0;
  const shares = inOrder.map((part): [string, number] => {
    const size = parts[part] * scale;
    const hit = Math.min(cached, size);
    cached -= hit;
    const kept = Math.min(written, size - hit);
    written -= kept;
    const dollars = hit * price.cacheRead + kept * price.cacheWrite + (size - hit - kept) * price.input;
    return [part, dollars / 1_000_000];
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
