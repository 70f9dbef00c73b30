import type { Reply } from "./api.ts";

type Call = Reply<"calls">["calls"][number];
type Money = NonNullable<Call["money"]>;

/** Dollars for a million tokens, and whose list that is. */
export interface Price {
  input: number;
  cacheRead: number;
  output: number;
  basis: string;
}

/** Undefined for a model whose price nobody knows. */
export type PriceOf = (model: string) => Price | undefined;

/** In the order in which they stand in a prompt; what is cached is always its beginning. */
const inOrder = ["tools", "system", "memory", "summaries", "history", "results"] as const;

/**
 * What a call cost, and each part of the prompt its share. Parts are estimates and the provider's count is not, so the
 * parts are scaled to what the provider reported.
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
  const shares = inOrder.map((part): [string, number] => {
    const size = parts[part] * scale;
    const hit = Math.min(cached, size);
    cached -= hit;
    return [part, (hit * price.cacheRead + (size - hit) * price.input) / 1_000_000];
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
