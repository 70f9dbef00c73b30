/**
 * How much each feature says that a sentence replaces an earlier rule; the order is that of `comparedBy`.
 *
 * Fitted by logistic regression on 6602 pairs with `node scripts/fit-rules.ts --write`, which prints how many
 * corrections are found of conversations that were left out.
 */
export const weights: readonly number[] = [
  -3.84, // bias
  -1.85, // shares a word
  2.17, // shares two words
  1.94, // share of the words of the shorter one
  2.18, // share of the words of the rule
  -2.13, // shares nothing
  1.23, // shares a word that few sentences have
  1.47, // shares two words in a row
  5.42, // says that something changes
  -2.49, // says so, and shares a word
  2.42, // begins as a correction, right after the rule
  1.28, // is a rule, as log odds
  3.07, // is a rule that is said in nearly the same words
  1.56, // has other numbers
  3.18, // has a value like one of the rule
  2.63, // permits what the rule is about
  2.01, // takes something back
  0.4, // is for this once
  -1.49, // asks
  -0.86, // is in the same message
  -0.62, // is in the next message
];
