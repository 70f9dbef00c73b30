import { type Stated, stated } from "./content.ts";
import { type Opening, openingOf } from "./corrections.ts";
import { featuresOf } from "./features.ts";
import { isRuleGiven, likelihoodGiven, mayBeRuleGiven } from "./is-rule.ts";
import { changeOdds } from "./likelihood.ts";
import { plain } from "./plain.ts";

/** A sentence of the user and what is found in it once, because it is compared with many others. */
export interface Sentence extends Stated {
  /** In lower case, without what is quoted. */
  plain: string;
  tokens: readonly string[];
  opening: Opening | undefined;
  likelihood: number;
  /** The log odds that it changes something that was said before. */
  changes: number;
  isRule: boolean;
  mayBeRule: boolean;
}

/** What a long sentence says beyond this is not compared: the time for that grows with its square. */
const maxCompared = 600;

export function sentenceOf(text: string): Sentence {
  const said = plain(text);
  const features = featuresOf(said);
  const likelihood = likelihoodGiven(said, features);
  return {
    ...stated(text),
    plain: said,
    tokens: said.slice(0, maxCompared).match(/[\w./@=-]+/g) ?? [],
    opening: openingOf(text),
    likelihood,
    changes: changeOdds(features),
    isRule: isRuleGiven(likelihood, said),
    mayBeRule: mayBeRuleGiven(likelihood, said),
  };
}
