/**
 * How much each feature says that a sentence replaces an earlier rule; the order is that of `comparedBy`.
 *
 * Fitted by logistic regression on 21528 pairs with `node scripts/fit-rules.ts --write`, which prints how many
 * corrections are found in conversations that were left out.
 */
export const weights: readonly number[] = [
  -3.48, // bias
  0.63, // says that something changes, as log odds
  0.48, // another sentence of the message says so
  2.31, // share of what the rule is about
  2.02, // share of what the sentence is about
  1.77, // how much they share
  8.7, // share of the rule in other sentences of the message
  -0.02, // shares nothing
  0, // shares nothing, nor do the other sentences
  3.74, // has a value like one of the rule
  0.95, // has other numbers
  0.05, // has other values
  2.06, // is a rule that is said in nearly the same words
  1.45, // permits what the rule is about
  -0.99, // lets do for once what the rule demands leave for
  -0.65, // is for this once
  -0.8, // adds something
  -2.17, // asks
  0.78, // is in the next message
  0.98, // is in the next message, and begins as a correction
  0.79, // is a rule, as log odds
  0.57, // says that something changes, by the share of the rule
  0.36, // shares two words in a row
  -1.2, // forbids, as the rule does
  -0.34, // shares a value
  3.43, // names what takes the place of something in the rule
  0.39, // points at what other sentences of the message and the rule are about
  2.23, // has other values, by what the message and the rule share
  0.49, // has another number beside the same word
  1.95, // has another value after the same word
  1.05, // has a value of the rule beside another of its kind
  -1.16, // has another subject
  -1.74, // begins with a case of its own
  -1.17, // tells what happened
];
