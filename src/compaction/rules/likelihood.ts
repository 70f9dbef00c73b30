import { featuresOf } from "./features.ts";
import { weights } from "./weights.ts";

let fitted: ReadonlyMap<string, number> | undefined;

/** Each line has a weight and the features that have it. Most processes never need them. */
function readWeights(): ReadonlyMap<string, number> {
  return new Map(
    weights
      .trim()
      .split("\n")
      .flatMap((line) => {
        const [weight, ...features] = line.split("|");
        return features.map((feature) => [feature, Number(weight)] as const);
      }),
  );
}

/** The sum of the weights of a sentence: above 0, a rule is likelier than not. */
export function sumWeights(sentence: string, by: ReadonlyMap<string, number>): number {
  let sum = by.get(bias) ?? 0;
  for (const feature of featuresOf(sentence)) sum += by.get(feature) ?? 0;
  return sum;
}

export const bias = "bias";

/** How likely a sentence in English states something that is to hold for good, from 0 to 1. */
export function ruleLikelihood(sentence: string): number {
  fitted ??= readWeights();
  return 1 / (1 + Math.exp(-sumWeights(sentence, fitted)));
}
