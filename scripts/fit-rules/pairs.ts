import { ownSentences } from "../../src/compaction/rules/own-words.ts";
import { compare, mayReplace } from "../../src/compaction/rules/replaces.ts";
import type { Sentence } from "../../src/compaction/rules/sentence.ts";
import type { Example } from "../fit-need/logistic.ts";
import { type Conversation, ruleIn } from "./conversations.ts";

/** A rule that is compared with a sentence that was said later. Without features, it is plain that it holds. */
export interface Pair extends Example {
  /** The sentence. */
  said: string;
}

/** A sentence, with the log odds that it changes something as another fit has them. */
export type Read = (text: string) => Sentence;

/** Each sentence of a conversation beside each rule that was told before it. */
export function pairsOf({ rules, later }: Conversation, read: Read): Pair[] {
  const told = rules.map((message) => read(ruleIn(message)));
  const isGone = new Set<number>();
  const pairs: Pair[] = [];
  const say = (message: string, at: number, replaces: number | null, says: string) => {
    const sentences = ownSentences(message).map(read);
    for (const now of sentences)
      for (const [index, rule] of told.slice(0, at).entries()) {
        const isNeeded = replaces === index;
        if (isGone.has(index) || (isNeeded && now.text !== says)) continue;
        const around = { isNext: at - index <= 1, others: sentences.filter((other) => other !== now) };
        if (mayReplace(now, rule, around))
          pairs.push({ said: now.text, features: compare(now, rule, around), isNeeded });
        else if (isNeeded) pairs.push({ said: now.text, features: [], isNeeded });
      }
  };
  for (const [index, message] of rules.entries()) say(message, index, null, "");
  for (const { message, replaces, says } of later) {
    say(message, rules.length, replaces, says);
    if (replaces !== null) isGone.add(replaces);
  }
  return pairs;
}

/** How many sentences that share a word with a rule are compared with it. */
const perRule = 6;

/** Rules beside what other users say, which replaces none of them. */
export function pairsApart(rules: readonly string[], others: readonly string[], read: Read): Pair[] {
  return rules.flatMap((message, from) => {
    const rule = read(ruleIn(message));
    const found: Pair[] = [];
    for (let step = 0; step < others.length && found.length < perRule; step++) {
      const now = read(others[(from * perRule + step) % others.length] ?? "");
      const around = { isNext: found.length % 2 === 0, others: [] };
      if (mayReplace(now, rule, around))
        found.push({ said: now.text, features: compare(now, rule, around), isNeeded: false });
    }
    return found;
  });
}
