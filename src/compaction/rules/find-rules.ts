import { type StoredMessage, spokenText } from "../../context/conversation.ts";
import { oneLine } from "../../engine/text.ts";
import { isReport } from "../facts/statements.ts";
import { openingOf } from "./corrections.ts";
import { mayBeRule } from "./is-rule.ts";
import { ownSentences } from "./own-words.ts";
import { type Candidate, candidate, keyOf, maxRule, readSentence } from "./read-sentence.ts";
import { type Sentence, sentenceOf } from "./sentence.ts";

/** What is known of the user's rules before a conversation is searched. */
export interface KnownRules {
  /** Rules that earlier checkpoints found, oldest first. */
  found: readonly { id: string; text: string }[];
  /** Texts that need not be found again: pins, and found rules that were dropped. */
  settled: readonly string[];
  /** Sentences in which earlier checkpoints found what may be a rule, oldest first. */
  possible?: readonly string[] | undefined;
}

/** The user's rules in a conversation, in the user's words. */
export interface FoundRules {
  /** New ones, oldest first, each in its last form. */
  texts: string[];
  /** Ids of earlier found rules that the user has corrected or taken back. */
  replaced: string[];
}

/** A sentence that may state a rule, and how likely it does; the new form of a rule is as likely as that. */
export interface PossibleRule {
  text: string;
  likelihood: number;
}

/** Found rules, what may be one, and the values that the user has corrected. */
interface SearchedRules extends FoundRules {
  /** Sentences that may state a rule, oldest first. They are kept, and not called rules. */
  possible: PossibleRule[];
  withdrawn: string[];
}

/** Sentences that may be rules and are remembered: the newest, and the likeliest of the others. */
const [maxNewest, maxLikeliest] = [30, 50];

/** While a conversation is read, so many may wait for a correction. */
const maxWaiting = 120;

/** Finds, without a model, what the user forbids or demands for good. */
export function findRules(messages: readonly StoredMessage[], known: KnownRules): SearchedRules {
  let rules: Candidate[] = [
    ...(known.possible ?? []).map((text) => candidate(text, { message: 0, isFound: false })),
    ...known.found.map(({ id, text }) => ({ id, ...candidate(text, { message: 0, isFound: true }) })),
  ];
  const withdrawn = new Set<string>();
  // What was found earlier is in no message.
  let before = -1;
  const read = readOnce();
  for (const { number, message } of newestSaid(messages)) {
    const sentences = ownSentences(spokenText(message)).map(read);
    for (const [index, said] of sentences.entries()) {
      const next = readSentence(rules, said, {
        number,
        before,
        previous: sentences[index - 1],
        others: beside(sentences, index),
      });
      for (const value of withdrawnIn(rules, next, said)) withdrawn.add(value);
      rules = next.length > maxWaiting ? withoutOldest(withoutLeastLikely(next, maxWaiting / 2)) : next;
    }
    before = number;
  }
  const ids = new Set(rules.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const keys = new Set(rules.map(({ key }) => key));
  const settled = new Set([...known.settled, ...known.found.map(({ text }) => text)].map(keyOf));
  const fresh = rules.filter(({ id, key }) => id === undefined && !settled.has(key));
  return {
    texts: onceEach(fresh.filter(({ isFound }) => isFound)).map(({ text }) => text),
    possible: onceEach(withoutLeastLikely(fresh, maxLikeliest).filter(({ isFound }) => !isFound)),
    // What is read again may be found anew under another id, or none.
    replaced: known.found
      .filter(({ id, text }) => !ids.has(id) && !keys.has(keyOf(text)))
      .map(({ id }) => id),
    withdrawn: [...withdrawn].filter((value) => !rules.some(({ about }) => about.values.has(value))),
  };
}

/** All that is found; of what may be a rule, the newest and the likeliest of the others. */
function withoutLeastLikely(rules: Candidate[], most: number): Candidate[] {
  const possible = rules.filter(({ isFound }) => !isFound);
  const others = possible.slice(0, -maxNewest).sort((a, b) => b.likelihood - a.likelihood);
  const dropped = new Set(others.slice(most));
  return dropped.size === 0 ? rules : rules.filter((rule) => !dropped.has(rule));
}

/** More rules than these are not kept either: the oldest make room, except those that are known. */
const maxFound = 150;

function withoutOldest(rules: Candidate[]): Candidate[] {
  const found = rules.filter(({ isFound, id }) => isFound && id === undefined);
  const dropped = new Set(found.slice(0, -maxFound));
  return dropped.size === 0 ? rules : rules.filter((rule) => !dropped.has(rule));
}

/** Each text once. */
function onceEach(rules: readonly Candidate[]): PossibleRule[] {
  // Stores reject NUL and lone surrogates.
  const clean = (text: string) => oneLine(text, maxRule).replaceAll("\0", "\ufffd").toWellFormed();
  return [
    ...new Map(rules.map(({ key, text, likelihood }) => [key, { text: clean(text), likelihood }])).values(),
  ];
}

/** More text of the user is not searched: it is pasted, and reading it would take seconds. */
const maxSaid = 200_000;

/** The user's newest messages, in order. */
function newestSaid(messages: readonly StoredMessage[]): StoredMessage[] {
  let room = maxSaid;
  const said = messages
    .filter(({ message, aside }) => message.role === "user" && !aside && !isReport(spokenText(message)))
    .reverse();
  return said
    .filter(({ message }) => {
      room -= spokenText(message).length;
      return room >= 0;
    })
    .reverse();
}

/** Reads each sentence once: users repeat themselves. */
function readOnce(): (text: string) => Sentence {
  const known = new Map<string, Sentence>();
  return (text) => {
    const sentence = known.get(text) ?? sentenceOf(text);
    known.set(text, sentence);
    return sentence;
  };
}

/** The values that a sentence corrects, in itself or in an earlier rule. */
function withdrawnIn(
  before: readonly Candidate[],
  after: readonly Candidate[],
  sentence: Sentence,
): Set<string> {
  if (before === after) return new Set();
  const [earlier, later] = [new Set(before), new Set(after)];
  const gone = before.filter((rule) => !later.has(rule));
  const fresh = after.filter((rule) => !earlier.has(rule));
  return valuesOf(fresh.length > 0 ? [...gone, sentence] : gone).difference(valuesOf(fresh));
}

function valuesOf(sentences: readonly Sentence[]): Set<string> {
  return new Set(sentences.flatMap(({ about }) => [...about.values]));
}

/** The conversation without the values that the user has corrected, so that nothing else keeps them. */
export function withoutWithdrawn(
  messages: readonly StoredMessage[],
  withdrawn: readonly string[],
): readonly StoredMessage[] {
  if (withdrawn.length === 0) return messages;
  const anywhere = patternOf(withdrawn.filter(isDistinctive));
  const inRules = patternOf(withdrawn);
  const clean = (text: string) => {
    const said = text.replaceAll(anywhere, "[…]");
    if (said.search(inRules) === -1) return said;
    return ownSentences(said)
      .filter((sentence) => mayBeRule(sentence) || openingOf(sentence) !== undefined)
      .reduce((rest, sentence) => rest.replace(sentence, () => sentence.replaceAll(inRules, "[…]")), said);
  };
  return messages.map((stored) => {
    const { message } = stored;
    if (message.role !== "user") return stored;
    const text = spokenText(message);
    const content = clean(text);
    if (content === text) return stored;
    return { ...stored, message: { role: "user" as const, content } };
  });
}

/** A path, a port or a name means the same wherever it is said; "2" and "npm" do not. */
function isDistinctive(value: string): boolean {
  return value.length >= 4 && /[\d/\\._:@-]|[a-z][A-Z]/.test(value);
}

function patternOf(values: readonly string[]): RegExp {
  const escaped = values.map((value) => value.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  // Without a value it matches nothing.
  const any = escaped.length === 0 ? "(?!)" : escaped.join("|");
  return new RegExp(`(?<![\\w/@.-])(?:${any})(?![\\w/@-]|\\.\\w)`, "gi");
}

/** How far the sentences beside a sentence reach. */
const reach = 2;

function beside(sentences: readonly Sentence[], index: number): Sentence[] {
  return [
    ...sentences.slice(Math.max(0, index - reach), index),
    ...sentences.slice(index + 1, index + 1 + reach),
  ];
}
