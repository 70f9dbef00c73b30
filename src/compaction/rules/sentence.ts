import { announcesChange, declaresChange } from "./change-words.ts";
import { type Content, contentOf, type Stated, stated } from "./content.ts";
import { type Opening, openingOf } from "./corrections.ts";
import { featuresOf } from "./features.ts";
import { isKeptGiven, isRuleGiven, likelihoodGiven, mayBeRuleGiven } from "./is-rule.ts";
import { changeOdds } from "./likelihood.ts";
import { plain } from "./plain.ts";
import { type Signs, signsIn } from "./signs.ts";

/** A sentence of the user and what is found in it once, because it is compared with many others. */
export interface Sentence extends Stated {
  /** In lower case, without what is quoted. */
  plain: string;
  tokens: readonly string[];
  /** The first word that says what it is about. */
  subject: Content;
  signs: Signs;
  opening: Opening | undefined;
  likelihood: number;
  /** The log odds that it changes something that was said before. */
  changes: number;
  isRule: boolean;
  mayBeRule: boolean;
  /** Whether it is kept where there is room. */
  isKept: boolean;
}

/** What a long sentence says beyond this is not compared: the time for that grows with its square. */
const maxCompared = 600;

export function sentenceOf(text: string): Sentence {
  const said = plain(text);
  const features = featuresOf(said);
  const tokens = said.slice(0, maxCompared).match(/[\w/@=-](?:[\w./@=-]*[\w/@=-])?/g) ?? [];
  const likelihood = likelihoodGiven(said, features);
  return {
    ...stated(text),
    plain: said,
    tokens,
    subject: subjectOf(tokens),
    signs: signsIn(said, tokens),
    opening: openingOf(text),
    likelihood,
    changes: oddsOfChange(said, changeOdds(features)),
    isRule: isRuleGiven(likelihood, said),
    mayBeRule: mayBeRuleGiven(likelihood, said),
    isKept: isKeptGiven(likelihood, said),
  };
}

function subjectOf(tokens: readonly string[]): Content {
  for (const token of tokens) {
    const content = contentOf(token);
    if (content.words.size + content.values.size > 0) return content;
  }
  return contentOf("");
}

/** Log odds of a change that is said in so many words, if the weights make less of it; and of one beyond doubt. */
const [announced, declared] = [0.5, 2];

export function oddsOfChange(plain: string, fitted: number): number {
  if (declaresChange(plain)) return Math.max(declared, fitted);
  return announcesChange(plain) ? Math.max(announced, fitted) : fitted;
}
