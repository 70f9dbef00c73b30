import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stated } from "../../src/compaction/rules/content.ts";
import { ownSentences } from "../../src/compaction/rules/own-words.ts";
import { compare, type When } from "../../src/compaction/rules/replaces.ts";
import { sentenceOf } from "../../src/compaction/rules/sentence.ts";
import type { Example } from "../fit-need/logistic.ts";

/** Messages of a user; fragments of the rule that holds at the end, and of the one that no longer does. */
interface Told {
  /** The last message changes or lifts the rule in the first; the same in one message; or it leaves the rule as it is. */
  kind: "correction" | "same message" | "unrelated";
  messages: readonly string[];
  keep: readonly string[];
  gone: readonly string[];
}

/** A rule that is compared with a sentence that was said later. */
export interface Pair extends Example {
  /** Pairs of one conversation are fitted, or left out, together. */
  conversation: number;
}

/** The pairs of rules and later sentences in the conversations of `corrections.jsonl`, and of rules with what others say. */
export function readPairs(rules: readonly string[], others: readonly string[]): Pair[] {
  const path = join(import.meta.dirname, "corrections.jsonl");
  const lines = readFileSync(path, "utf8").trim().split("\n");
  const told = lines.map((line) => JSON.parse(line) as Told);
  const pairsOf = { correction: laterPairs, "same message": pairsInOne, unrelated: unchanged };
  const apart = rules.flatMap((rule, index) =>
    aboutTheSame(rule, index, others).map((sentence, place) =>
      pair(sentence, rule, whens[place % 3] ?? "later", false),
    ),
  );
  const beside = besideEachOther(told.filter(({ kind }) => kind !== "same message"));
  const compared = told.flatMap((each, conversation) =>
    pairsOf[each.kind](each).map((example) => ({ ...example, conversation })),
  );
  return [...compared, ...[...beside, ...apart].map((each, conversation) => ({ ...each, conversation }))];
}

const whens: readonly When[] = ["in the same message", "in the next message", "later"];

/** The next sentences that share a word with a rule. */
function aboutTheSame(rule: string, from: number, others: readonly string[]): string[] {
  const { words } = stated(rule).about;
  const found: string[] = [];
  for (let step = 0; step < others.length && found.length < 6; step++) {
    const other = others[(from + step) % others.length] ?? "";
    if (!stated(other).about.words.isDisjointFrom(words)) found.push(other);
  }
  return found;
}

function pair(sentence: string, rule: string, when: When, isNeeded: boolean): Example {
  return { features: compare(sentenceOf(sentence), sentenceOf(rule), when), isNeeded };
}

function laterPairs({ messages, keep, gone }: Told): Example[] {
  const [first = "", ...later] = messages;
  const rule = sentenceWith(first, gone);
  const last = later.at(-1) ?? "";
  const correction = keep.length === 0 ? ownSentences(last)[0] : sentenceWith(last, keep);
  if (rule === undefined || correction === undefined) return [];
  const between = later.slice(0, -1);
  const when = between.length > 0 ? "later" : "in the next message";
  return [
    pair(correction, rule, when, true),
    ...between.flatMap(ownSentences).map((sentence) => pair(sentence, rule, "in the next message", false)),
  ];
}

function pairsInOne({ messages: [message = ""], keep, gone }: Told): Example[] {
  const [rule, correction] = [sentenceWith(message, gone), sentenceWith(message, keep)];
  if (rule === undefined || correction === undefined || rule === correction) return [];
  return [pair(correction, rule, "in the same message", true)];
}

function unchanged({ messages: [first = "", last = ""], keep }: Told): Example[] {
  const rule = sentenceWith(first, keep);
  if (rule === undefined) return [];
  const others = ownSentences(first).filter((sentence) => sentence !== rule);
  return [
    ...ownSentences(last).map((sentence) => pair(sentence, rule, "in the next message", false)),
    ...others.map((sentence) => pair(sentence, rule, "in the same message", false)),
  ];
}

/** Rules of different conversations: none replaces another. */
function besideEachOther(told: readonly Told[]): Example[] {
  const rules = told.flatMap(
    ({ messages: [first = ""], keep, gone }) => sentenceWith(first, [...gone, ...keep]) ?? [],
  );
  return [1, 7, 13].flatMap((distance) =>
    rules.map((rule, index) => {
      const other = rules[(index + distance) % rules.length] ?? rule;
      return pair(other, rule, distance === 1 ? "in the same message" : "later", false);
    }),
  );
}

/** The sentence of a message that contains the first of the fragments. */
function sentenceWith(message: string, [fragment = ""]: readonly string[]): string | undefined {
  const wanted = plainly(fragment).replace(/[.!?,;]+$/, "");
  return wanted === ""
    ? undefined
    : ownSentences(message).find((sentence) => plainly(sentence).includes(wanted));
}

function plainly(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, " ");
}
