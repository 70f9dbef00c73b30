/**
 * How much each feature says that a sentence replaces an earlier rule; the order is that of `comparedBy`.
 *
 * Fitted by logistic regression on 19393 pairs with `node scripts/fit-rules.ts --write`, which prints how many
 * corrections are found in conversations that were left out.
 */
export const weights: readonly number[] = [
  -3.69, // bias
  0.56, // says that something changes, as log odds
  0.57, // another sentence of the message says so
  2.59, // share of what the rule is about
  2.95, // share of what the sentence is about
  1.68, // how much they share
  8.96, // share of the rule in other sentences of the message
  -0.08, // shares nothing
  -0.47, // shares nothing, nor do the other sentences
  3.55, // has a value like one of the rule
  0.88, // has other numbers
  -0.01, // has other values
  1.85, // is a rule that is said in nearly the same words
  1.17, // permits what the rule is about
  -0.61, // lets do for once what the rule demands leave for
  -0.56, // is for this once
  -0.74, // adds something
  -1.42, // asks
  0.85, // is in the next message
  0.93, // is in the next message, and begins as a correction
  0.79, // is a rule, as log odds
  0.99, // says that something changes, by the share of the rule
  0.63, // shares two words in a row
  -1.01, // forbids, as the rule does
  -0.72, // shares a value
  2.86, // names what takes the place of something in the rule
  0.66, // points at what other sentences of the message and the rule are about
  2.25, // has other values, by what the message and the rule share
  0.15, // has another number beside the same word
  1.97, // has another value after the same word
];
