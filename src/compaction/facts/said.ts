import { type StoredMessage, spokenText } from "../../context/conversation.ts";
import { type Stated, stated, withdrawnValues } from "../rules/content.ts";
import { settleInline } from "../rules/corrections.ts";
import { isRule } from "../rules/is-rule.ts";
import { ownSentences } from "../rules/own-words.ts";
import { hasOtherValue, replacesRule } from "../rules/replaces.ts";
import { sentenceOf } from "../rules/sentence.ts";

/** A statement that a later one has replaced. */
export interface Correction {
  before: Stated;
  /** Values of the statement that no longer hold, and those that hold instead. */
  withdrawn: readonly string[];
  fresh: readonly string[];
}

export interface Said {
  /** What the user stated, oldest first, each in its last form. */
  texts: string[];
  corrections: Correction[];
}

/** Verbs of a sentence that says how something is, in the languages of the rules. */
const stating =
  /\b(?:is|are|was|were|isn't|aren't|has|have|had|uses?|lives?|runs?|belongs?|listens?|means|equals?|contains?|costs?|becomes?|became|moved|changed|renamed|called|named|ist|sind|hat|haben|liegt|heißt|est|sont|es|son|está|están|tiene)\b|是|在|有/i;

/** Asks for something: what is asked is kept elsewhere until it is answered. */
const asking =
  /[?？]\s*$|^(?:please|pls|can|could|would|will|let's|let us)\b|\b(?:can you|could you|would you|will you|i want you|i'd like you|i need you)\b/i;

const [minLength, maxLength] = [12, 300];

/** Statements that a checkpoint remembers. */
const maxSaid = 40;

/** Something that was said: by the user, or by a person who changed memory from outside. */
interface Speech {
  number: number;
  text: string;
  /** Whether its statements are kept; they correct others in any case. */
  isKept: boolean;
}

export interface SaidInput {
  /** The messages since the last summary, in order. */
  messages: readonly StoredMessage[];
  /** The last message that is removed: what the user stated after it stays in context. */
  to: number;
  /** Changes of memory that the agent was shown, each before a message: memory shows them itself. */
  changes?: readonly { before: number; text: string }[];
  /** What the user stated before these messages. */
  earlier?: readonly string[] | undefined;
}

/**
 * Finds what the user stated, such as "the port of api-2 is 8080": a sentence that says how something is, with a value
 * or a name in it. A rule is not among them, because it becomes a pin. A correction replaces what it corrects.
 */
export function saidFacts({ messages, to, changes = [], earlier = [] }: SaidInput): Said {
  const spoken = messages
    .filter(({ message, aside }) => message.role === "user" && !aside)
    .map(({ number, message }) => ({ number, text: spokenText(message), isKept: number <= to }));
  const changed = changes.map(({ before, text }) => ({
    number: before - 1,
    text: addedIn(text),
    isKept: false,
  }));
  let facts = earlier.map((text) => ({ ...stated(text), isKept: true }));
  const corrections: Correction[] = [];
  for (const { text, isKept } of [...spoken, ...changed].toSorted(byNumber))
    for (const sentence of ownSentences(text)) {
      const now = statementIn(sentence);
      if (!now) continue;
      const replaced = facts.filter((fact) => replaces(now, fact));
      corrections.push(...replaced.map((before) => correctionOf(before, now)));
      const others = facts.filter((fact) => !replaced.includes(fact) && fact.text !== now.text);
      facts = [...others, { ...now, isKept }];
    }
  const kept = facts.filter(({ isKept }) => isKept);
  return { texts: kept.slice(-maxSaid).map(({ text }) => text), corrections };
}

/** A change without the lines that were removed and without the signs of a diff. */
function addedIn(change: string): string {
  return change
    .split("\n")
    .filter((line) => !/^(?:- |@\d)/.test(line))
    .map((line) => line.replace(/^\+ /, ""))
    .join("\n\n");
}

function byNumber(a: Speech, b: Speech): number {
  return a.number - b.number;
}

/** Whether a sentence says how something is, with a value or a name in it, and is no rule. */
export function isStatement(sentence: string): boolean {
  return statementIn(sentence) !== undefined;
}

function statementIn(sentence: string): Stated | undefined {
  const { length } = sentence;
  if (length < minLength || length > maxLength || !stating.test(sentence) || asking.test(sentence))
    return undefined;
  const now = stated(settleInline(sentence));
  return now.about.values.size > 0 && !isRule(sentence) ? now : undefined;
}

/** Whether a statement is about the same things as an earlier one, and says something else about them. */
function replaces(now: Stated, before: Stated): boolean {
  const [names, others] = [namesOf(now), namesOf(before)];
  if (names.size !== others.size || !names.isSubsetOf(others) || !differ(now, before)) return false;
  const isAlike = names.size > 0 && !now.about.words.isDisjointFrom(before.about.words);
  const [said, fact] = [sentenceOf(now.text), sentenceOf(before.text)];
  return (isAlike && hasOtherValue(said, fact)) || replacesRule(said, fact, { isNext: false, others: [] });
}

function differ(now: Stated, before: Stated): boolean {
  return now.about.values.symmetricDifference(before.about.values).size > 0 || now.text !== before.text;
}

/** The values that name something, rather than count it. */
function namesOf({ about }: Stated): Set<string> {
  return new Set([...about.values].filter((value) => !/^v?\d[\d.,:%]*\w{0,3}$/.test(value)));
}

function correctionOf(before: Stated, now: Stated): Correction {
  const withdrawn = withdrawnValues(before.text, now.text);
  const fresh = withdrawnValues(now.text, before.text);
  const words = (a: Stated, b: Stated) => [...a.about.words].filter((word) => !b.about.words.has(word));
  return {
    before,
    withdrawn: withdrawn.length > 0 ? withdrawn : words(before, now),
    fresh: fresh.length > 0 ? fresh : words(now, before),
  };
}

/** The statements that memory does not say itself: what the agent has written down is shown, and edited, there. */
export function notWritten(texts: readonly string[], memory: string): string[] {
  const lines = memory.split("\n").map((line) => stated(line).about);
  return texts.filter((text) => {
    const { words, values } = stated(text).about;
    return !lines.some(
      (line) =>
        values.isSubsetOf(line.values) &&
        [...words].filter((word) => line.words.has(word)).length >= words.size / 2,
    );
  });
}

/** A text without the sentences that still say what the user has corrected, in these or in similar words. */
export function withoutCorrected(text: string, corrections: readonly Correction[]): string {
  if (corrections.length === 0) return text;
  return text
    .split("\n")
    .flatMap((line) => {
      const kept = line.split(/(?<=[.!?])(?=\s)/).filter((sentence) => !saysAgain(sentence, corrections));
      const left = kept.join("").trim();
      return left === "" && line.trim() !== "" ? [] : [kept.join("").trimStart()];
    })
    .join("\n");
}

function saysAgain(sentence: string, corrections: readonly Correction[]): boolean {
  const { words, values } = stated(sentence).about;
  const has = (value: string) => values.has(value) || words.has(value);
  return corrections.some(({ before, withdrawn, fresh }) => {
    const shared = [...before.about.words].filter((word) => words.has(word)).length;
    return (
      withdrawn.some(has) &&
      !fresh.some(has) &&
      namesOf(before).isSubsetOf(values) &&
      shared >= before.about.words.size / 2
    );
  });
}
