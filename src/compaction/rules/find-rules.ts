import { type StoredMessage, spokenText } from "../../context/conversation.ts";
import { oneLine } from "../../engine/text.ts";
import { withdrawnValues } from "./content.ts";
import { isFragment, openingOf, replaceEnd, settleInline, takenBackBy } from "./corrections.ts";
import { mayBeRule } from "./is-rule.ts";
import { ownSentences } from "./own-words.ts";
import { areRelated, findReplaced, type When } from "./replaces.ts";
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

/** Found rules, what may be one, and the values that the user has corrected. */
export interface SearchedRules extends FoundRules {
  /** Sentences that may state a rule, oldest first. They are kept, and not called rules. */
  possible: string[];
  withdrawn: string[];
}

interface Candidate extends Sentence {
  /** Without spaces, case and full stop in which the same rule may differ. */
  key: string;
  /** The id of a rule that was found earlier. */
  id?: string;
  /** The message that states it. */
  message: number;
  /** Whether it is taken for a rule; if not, it may be one. */
  isFound: boolean;
  /** The user began to correct it in the message that states it: what is said next about it replaces it. */
  isDoubted?: boolean;
}

/** Sentences that may be rules and are remembered: the newest, and the likeliest of the others. */
const [maxNewest, maxLikeliest] = [20, 20];

/** While a conversation is read, so many may wait for a correction. */
const maxWaiting = 120;

/** Longer texts are cut, with an ellipsis. */
const maxRule = 500;

/** Finds, without a model, what the user forbids or demands for good. */
export function findRules(messages: readonly StoredMessage[], known: KnownRules): SearchedRules {
  let rules: Candidate[] = [
    ...(known.possible ?? []).map((text) => candidate(text, { message: 0, isFound: false })),
    ...known.found.map(({ id, text }) => ({ id, ...candidate(text, { message: 0, isFound: true }) })),
  ];
  const withdrawn = new Set<string>();
  // What was found earlier is in no message.
  let before = -1;
  for (const { number, message } of newestSaid(messages)) {
    for (const sentence of ownSentences(spokenText(message))) {
      const next = readSentence(rules, sentence, number, before);
      for (const value of withdrawnIn(rules, next, sentence)) withdrawn.add(value);
      rules = next.length > maxWaiting ? withoutLeastLikely(next, maxWaiting / 2) : next;
    }
    before = number;
  }
  const ids = new Set(rules.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const keys = new Set(rules.map(({ key }) => key));
  const settled = new Set([...known.settled, ...known.found.map(({ text }) => text)].map(keyOf));
  const fresh = rules.filter(({ id, key }) => id === undefined && !settled.has(key));
  return {
    texts: textsOf(fresh.filter(({ isFound }) => isFound)),
    possible: textsOf(withoutLeastLikely(fresh, maxLikeliest).filter(({ isFound }) => !isFound)),
    // What is read again may be found anew under another id, or none.
    replaced: known.found
      .filter(({ id, text }) => !ids.has(id) && !keys.has(keyOf(text)))
      .map(({ id }) => id),
    withdrawn: [...withdrawn].filter((value) => !rules.some(({ about }) => about.values.has(value))),
  };
}

function candidate(text: string, more: Pick<Candidate, "message" | "isFound">): Candidate {
  return { ...sentenceOf(text), key: keyOf(text), ...more };
}

/** All that is found; of what may be a rule, the newest and the likeliest of the others. */
function withoutLeastLikely(rules: Candidate[], most: number): Candidate[] {
  const possible = rules.filter(({ isFound }) => !isFound);
  const others = possible.slice(0, -maxNewest).sort((a, b) => b.likelihood - a.likelihood);
  const dropped = new Set(others.slice(most));
  return dropped.size === 0 ? rules : rules.filter((rule) => !dropped.has(rule));
}

/** Each text once. */
function textsOf(rules: readonly Candidate[]): string[] {
  // Stores reject NUL and lone surrogates.
  const clean = (text: string) => oneLine(text, maxRule).replaceAll("\0", "\ufffd").toWellFormed();
  return [...new Map(rules.map(({ key, text }) => [key, clean(text)])).values()];
}

/** More text of the user is not searched: it is pasted, and reading it would take seconds. */
const maxSaid = 400_000;

/** The user's newest messages, in order. */
function newestSaid(messages: readonly StoredMessage[]): StoredMessage[] {
  let room = maxSaid;
  const said = messages.filter(({ message, aside }) => message.role === "user" && !aside).reverse();
  return said
    .filter(({ message }) => {
      room -= spokenText(message).length;
      return room >= 0;
    })
    .reverse();
}

/** The values that a sentence corrects, in itself or in an earlier rule. */
function withdrawnIn(before: readonly Candidate[], after: readonly Candidate[], sentence: string): string[] {
  if (before === after) return [];
  const gone = before.filter((rule) => !after.includes(rule)).map(({ text }) => text);
  const fresh = after.filter((rule) => !before.includes(rule)).map(({ text }) => text);
  const said = fresh.length > 0 ? [sentence] : [];
  return withdrawnValues([...gone, ...said].join(" "), fresh.join(" "));
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

/** The rules after one more sentence of the user. `before` is the message that the user wrote before this one. */
function readSentence(rules: Candidate[], sentence: string, message: number, before: number): Candidate[] {
  const said = sentenceOf(sentence);
  const { opening } = said;
  const last = rules.at(-1);
  const isJustSaid = last?.message === message;
  if (opening?.isRevocation) return isJustSaid ? rules.slice(0, -1) : rules;
  const isTakenBack = takenBackBy(sentence);
  if (isTakenBack && rules.some(isTakenBack)) return rules.filter((rule) => !isTakenBack(rule));
  const settled = settleInline(sentence);
  const now = settled === sentence ? said : sentenceOf(settled);
  const [isOne, isSure] = [now.mayBeRule || said.mayBeRule, now.isRule || said.isRule];
  if (opening && last && !isSure && correctsValue(last, opening, isJustSaid, last.message === before)) {
    const text = replaceEnd(withoutStop(last.text), opening.rest);
    const { isFound } = last;
    return [...rules.slice(0, -1), { ...candidate(text, { message, isFound }), isDoubted: true }];
  }
  if (!isOne && (noCorrection.test(sentence) || rules.length === 0)) return rules;
  const key = keyOf(settled);
  if (rules.some((rule) => rule.key === key)) return rules;
  const isTurn = opening !== undefined && last !== undefined && isJustSaid && !opening.isRemark;
  const replaced =
    isTurn && isOne && isSaidInstead(now, last) ? last : replacedBy(now, rules, message, before);
  if (!isOne && replaced === undefined)
    return isTurn ? [...rules.slice(0, -1), { ...last, isDoubted: true }] : rules;
  // The new form of a rule is one.
  const isFound = isSure || replaced?.isFound === true;
  return [...rules.filter((rule) => rule !== replaced), { ...now, key, message, isFound }];
}

function replacedBy(
  now: Sentence,
  rules: readonly Candidate[],
  message: number,
  before: number,
): Candidate | undefined {
  const when = (rule: Candidate): When => {
    if (rule.message === message) return "in the same message";
    return rule.message === before ? "in the next message" : "later";
  };
  return rules.find((rule) => isDoubtedNow(rule, message, now)) ?? findReplaced(now, rules, when);
}

/** "Sorry, always use pnpm" replaces what was just said about it; "sorry, also run the linter" is one more rule. */
function isSaidInstead(now: Sentence, before: Sentence): boolean {
  return areRelated(now, before) && !/\b(?:also|too|either|as well|oh and)\b/.test(now.plain);
}

function isDoubtedNow(rule: Candidate, message: number, now: Sentence): boolean {
  return rule.isDoubted === true && rule.message === message && areRelated(now, rule);
}

/** "Sorry, I meant 9090": the value of the rule that was just stated, or stated in the message before. */
function correctsValue(
  { text }: Candidate,
  { rest, hasValue }: { rest: string; hasValue: boolean },
  isJustSaid: boolean,
  isFromBefore: boolean,
): boolean {
  const length = rest === "" ? 0 : rest.split(/\s+/).length;
  if (isJustSaid) return length > 0 && length <= 8 && isFragment(text, rest, hasValue);
  return isFromBefore && hasValue && length > 0 && length <= 3 && isFragment(text, rest, false);
}

/** A question, or a permission for once, leaves rules as they are. */
const noCorrection =
  /^(?!.*\b(?:instead|from now on)\b).*\?\s*$|\b(?:(?:just )?this once|this time|for now|for this (?:one|task|pr|change|commit|file|step|test))\b/i;

function withoutStop(text: string): string {
  return text.replace(/(?<![\s.!。！])[\s.!。！]+$/, "");
}

/** The same sentence may be told twice, with other spaces or another full stop. */
function keyOf(text: string): string {
  return withoutStop(oneLine(text)).toLowerCase();
}
