/**
 * How much each feature says that a sentence replaces an earlier rule; the order is that of `comparedBy`.
 *
 * Fitted by logistic regression on 22404 pairs with `node scripts/fit-rules.ts --write`, which prints how many
 * corrections are found in conversations that were left out.
 */
export const weights: readonly number[] = [
  -3.54, // bias
  0.62, // says that something changes, as log odds
  0.61, // another sentence of the message says so
  2.55, // share of what the rule is about
  2.87, // share of what the sentence is about
  1.72, // how much they share
  9.46, // share of the rule in other sentences of the message
  -0.45, // shares nothing
  -0.13, // shares nothing, nor do the other sentences
  3.68, // has a value like one of the rule
  0.94, // has other numbers
  -0.11, // has other values
  2.08, // is a rule that is said in nearly the same words
  0.92, // permits what the rule is about
  -0.55, // lets do for once what the rule demands leave for
  -0.5, // is for this once
  -0.6, // adds something
  -0.75, // asks
  0.81, // is in the next message
  0.94, // is in the next message, and begins as a correction
  0.78, // is a rule, as log odds
  1.09, // says that something changes, by the share of the rule
  0.68, // shares two words in a row
  -0.95, // forbids, as the rule does
  -0.64, // shares a value
  2.78, // names what takes the place of something in the rule
  0.53, // points at what other sentences of the message and the rule are about
  2.48, // has other values, by what the message and the rule share
  0.12, // has another number beside the same word
  1.99, // has another value after the same word
];
