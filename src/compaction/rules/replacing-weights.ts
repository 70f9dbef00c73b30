/**
 * How much each feature says that a sentence replaces an earlier rule; the order is that of `comparedBy`.
 *
 * Fitted by logistic regression on 6602 pairs with `node scripts/fit-rules.ts --write`, which prints how many
 * corrections are found of conversations that were left out.
 */
export const weights: readonly number[] = [
  -3.85, // bias
  -1.83, // shares a word
  2.21, // shares two words
  1.95, // share of the words of the shorter one
  2.13, // share of the words of the rule
  -2.13, // shares nothing
  1.21, // shares a word that few sentences have
  1.39, // shares two words in a row
  5.43, // says that something changes
  -2.53, // says so, and shares a word
  2.4, // begins as a correction, right after the rule
  1.27, // is a rule, as log odds
  3.1, // is a rule that is said in nearly the same words
  1.55, // has other numbers
  3.16, // has a value like one of the rule
  2.68, // permits what the rule is about
  1.94, // takes something back
  0.41, // is for this once
  -1.5, // asks
  -0.9, // is in the same message
  -0.61, // is in the next message
];
