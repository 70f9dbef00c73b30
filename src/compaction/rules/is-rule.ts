import { isPointOfRules } from "./headings.ts";
import { ruleLikelihood } from "./likelihood.ts";
import { otherLanguages } from "./other-languages.ts";
import { plain, wordsOf } from "./plain.ts";

/** A demand for this once, whatever else the sentence says. */
const onlyNow = /\b(?:for now|just this once|this time only|only this time|for the moment|anything else)\b/;

const minLength = 6;

/** Words with which users say that something is to hold for good. They say so of products as well. */
const explicit =
  /^(?:(?:please|pls|also|and|but|so|btw|by the way|oh|ok),? )*(?:don't|do not|stop)\b|\b(?:never|always|must|mustn't|from now on|going forward|in (?:the )?future|for the rest of|(?:do not|don't)\b.{0,200}\b(?:until|unless|without)|off[- ]limits|forbidden|not (?:ok|okay|acceptable|allowed)|under no circumstances?|on no account|every time|whenever|everywhere|throughout|avoid|ask (?:me|first|before))\b/;

/** From here on a sentence is taken for a rule: sooner if it says so in so many words. */
const likely = { explicit: 0.4, implicit: 0.86 };

/** From here on it may be one: it is kept, and not called a rule. */
const possible = { short: 0.5, long: 0.15 };

/** Whether the user states something that is to hold for good. */
export function isRule(said: string): boolean {
  return isRuleGiven(likelihoodOf(said), plain(said));
}

/** The same for a text in plain form whose likelihood is known. */
export function isRuleGiven(likelihood: number, text: string): boolean {
  return likelihood >= (explicit.test(text) ? likely.explicit : likely.implicit);
}

/** Whether the user may state something that is to hold for good. */
export function mayBeRule(said: string): boolean {
  return mayBeRuleGiven(likelihoodOf(said), plain(said));
}

export function mayBeRuleGiven(likelihood: number, text: string): boolean {
  return likelihood >= (isShort.test(text) ? possible.short : possible.long);
}

/** "Go on." */
const isShort = /^\S+(?:\s+\S+)?$/;

/** How likely the user states something that is to hold for good, in any of the languages, from 0 to 1. */
export function likelihoodOf(said: string): number {
  const text = plain(said);
  if (text.length < minLength || onlyNow.test(text)) return 0;
  if (isForeignRule(text) || isPointOfRules(text)) return 1;
  return ruleLikelihood(said);
}

/** The words of all other languages, and their scripts. */
const foreignWords = new Set(otherLanguages.flatMap(({ words }) => words));
const foreignScript = /[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/;

/** Whether a text in plain form states a rule in one of the other languages. */
export function isForeignRule(text: string): boolean {
  const said = wordsOf(text);
  if (said.isDisjointFrom(foreignWords) && !foreignScript.test(text)) return false;
  return otherLanguages.some(
    ({ words, script, says, unless }) =>
      (words.some((word) => said.has(word)) || (script?.test(text) ?? false)) &&
      says.test(text) &&
      !(unless?.test(text) ?? false) &&
      !/[?？]\s*$/.test(text),
  );
}
