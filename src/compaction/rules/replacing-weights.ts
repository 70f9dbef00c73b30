/**
 * How much each feature says that a sentence replaces an earlier rule; the order is that of `comparedBy`.
 *
 * Fitted by logistic regression on 6614 pairs with `node scripts/fit-rules.ts --write`, which prints how many
 * corrections are found of conversations that were left out.
 */
export const weights: readonly number[] = [
  -3.85, // bias
  -1.84, // shares a word
  2.18, // shares two words
  1.95, // share of the words of the shorter one
  2.18, // share of the words of the rule
  -2.13, // shares nothing
  1.19, // shares a word that few sentences have
  1.41, // shares two words in a row
  5.42, // says that something changes
  -2.53, // says so, and shares a word
  2.36, // begins as a correction, right after the rule
  1.27, // is a rule, as log odds
  3.11, // is a rule that is said in nearly the same words
  1.55, // has other numbers
  3.16, // has a value like one of the rule
  2.68, // permits what the rule is about
  1.95, // takes something back
  0.42, // is for this once
  -1.5, // asks
  -0.91, // is in the same message
  -0.6, // is in the next message
];
