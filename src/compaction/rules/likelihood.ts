import { weights as changing } from "./changing-weights.ts";
import { weights as ruling } from "./weights.ts";

type Weights = ReadonlyMap<string, number>;

/** Each line has a weight and the features that have it. Most processes never need them. */
function readOnce(lines: string): () => Weights {
  let read: Weights | undefined;
  return () => {
    read ??= new Map(
      lines
        .trim()
        .split("\n")
        .flatMap((line) => {
          const [weight, ...features] = line.split("|");
          return features.map((feature) => [feature, Number(weight)] as const);
        }),
    );
    return read;
  };
}

const [ruleWeights, changeWeights] = [readOnce(ruling), readOnce(changing)];

/** The sum of the weights of some features. */
export function sumWeights(features: readonly string[], by: Weights): number {
  return features.reduce((sum, feature) => sum + (by.get(feature) ?? 0), by.get(bias) ?? 0);
}

export const bias = "bias";

/** The log odds that a sentence in English states something that is to hold for good. */
export function ruleOdds(features: readonly string[]): number {
  return sumWeights(features, ruleWeights());
}

/** The log odds that a sentence in English changes something that was said before. */
export function changeOdds(features: readonly string[]): number {
  return sumWeights(features, changeWeights());
}
