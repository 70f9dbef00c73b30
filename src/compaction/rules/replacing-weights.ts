/**
 * How much each feature says that a sentence replaces an earlier rule; the order is that of `comparedBy`.
 *
 * Fitted by logistic regression on 21250 pairs with `node scripts/fit-rules.ts --write`, which prints how many
 * corrections are found in conversations that were left out.
 */
export const weights: readonly number[] = [
  -3.64, // bias
  0.63, // says that something changes, as log odds
  0.48, // another sentence of the message says so
  2.57, // share of what the rule is about
  2.25, // share of what the sentence is about
  1.74, // how much they share
  8.73, // share of the rule in other sentences of the message
  0.02, // shares nothing
  -0.24, // shares nothing, nor do the other sentences
  3.96, // has a value like one of the rule
  1.04, // has other numbers
  0.05, // has other values
  2.12, // is a rule that is said in nearly the same words
  1.44, // permits what the rule is about
  -0.94, // lets do for once what the rule demands leave for
  -1, // is for this once
  -1.2, // adds something
  -2.76, // asks
  0.81, // is in the next message
  0.99, // is in the next message, and begins as a correction
  0.81, // is a rule, as log odds
  0.44, // says that something changes, by the share of the rule
  0.39, // shares two words in a row
  -0.96, // forbids, as the rule does
  -0.36, // shares a value
  3.71, // names what takes the place of something in the rule
  0.42, // points at what other sentences of the message and the rule are about
  2.26, // has other values, by what the message and the rule share
  0.45, // has another number beside the same word
  1.99, // has another value after the same word
  1.02, // has a value of the rule beside another of its kind
  -1.14, // has another subject
  -0.71, // begins with a case of its own
  -0.01, // tells what happened
];
