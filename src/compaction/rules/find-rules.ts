import { type StoredMessage, spokenText } from "../../context/conversation.ts";
import { oneLine } from "../../engine/text.ts";
import {
  openingOf,
  replaceEnd,
  replacesRule,
  type Stated,
  settleInline,
  stated,
  withdrawnValues,
} from "./corrections.ts";
import { isRule } from "./is-rule.ts";
import { ownSentences } from "./own-words.ts";

/** What is known of the user's rules before a conversation is searched. */
export interface KnownRules {
  /** Rules that earlier checkpoints found, oldest first. */
  found: readonly { id: string; text: string }[];
  /** Texts that need not be found again: pins, and found rules that were dropped. */
  settled: readonly string[];
}

/** The user's rules in a conversation, in the user's words. */
export interface FoundRules {
  /** New ones, oldest first, each in its last form. */
  texts: string[];
  /** Ids of earlier found rules that the user has corrected or taken back. */
  replaced: string[];
}

/** Found rules, and the values that the user has corrected. */
export interface SearchedRules extends FoundRules {
  withdrawn: string[];
}

interface Candidate extends Stated {
  /** The id of a rule that was found earlier. */
  id?: string;
  /** The message that states it. */
  message: number;
}

/** Longer texts are cut, with an ellipsis. */
const maxRule = 500;

/** Finds, without a model, what the user forbids or demands for good. */
export function findRules(messages: readonly StoredMessage[], known: KnownRules): SearchedRules {
  let rules: Candidate[] = known.found.map(({ id, text }) => ({ id, ...stated(text), message: 0 }));
  const withdrawn = new Set<string>();
  for (const { number, message } of newestSaid(messages)) {
    for (const sentence of ownSentences(spokenText(message))) {
      const next = readSentence(rules, sentence, number);
      for (const value of withdrawnIn(rules, next, sentence)) withdrawn.add(value);
      rules = next;
    }
  }
  const kept = new Set(rules.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const settled = new Set([...known.settled, ...known.found.map(({ text }) => text)].map(key));
  const texts = rules.filter(({ id, text }) => id === undefined && !settled.has(key(text)));
  return {
    texts: [...new Map(texts.map(({ text }) => [key(text), oneLine(text, maxRule)])).values()],
    replaced: known.found.map(({ id }) => id).filter((id) => !kept.has(id)),
    withdrawn: [...withdrawn],
  };
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
  const escaped = withdrawn.map((value) => value.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\w/@.-])(?:${escaped.join("|")})(?![\\w/@-]|\\.\\w)`, "gi");
  return messages.map((stored) => {
    const { message } = stored;
    if (message.role !== "user") return stored;
    const text = spokenText(message);
    const content = text.replaceAll(pattern, "[…]");
    if (content === text) return stored;
    return { ...stored, message: { role: "user" as const, content } };
  });
}

/** The rules after one more sentence of the user. */
function readSentence(rules: Candidate[], sentence: string, message: number): Candidate[] {
  const opening = openingOf(sentence);
  const last = rules.at(-1);
  const isJustSaid = last?.message === message;
  if (opening?.isRevocation) return isJustSaid ? rules.slice(0, -1) : rules;
  const settled = settleInline(sentence);
  const isOne = isRule(settled) || (settled !== sentence && isRule(sentence));
  // "Sorry, I meant 9090": the value of the rule that was just stated.
  if (opening && isJustSaid && last && !isOne && opening.rest.split(/\s+/).length <= 8)
    return opening.rest === ""
      ? rules
      : [...rules.slice(0, -1), { ...stated(replaceEnd(withoutStop(last.text), opening.rest)), message }];
  if (!isOne && rules.length === 0) return rules;
  const same = rules.find(({ text }) => key(text) === key(settled));
  if (same) return rules;
  const now = stated(settled);
  const replaced = rules.filter(
    (rule) =>
      replacesRule(now, rule, isOne) ||
      (opening !== undefined && isOne && isJustSaid && rule === last && sharesWord(settled, rule.text)),
  );
  if (!isOne && replaced.length === 0) return rules;
  return [...rules.filter((rule) => !replaced.includes(rule)), { ...now, message }];
}

function sharesWord(a: string, b: string): boolean {
  const words = new Set(a.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []);
  return (b.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).some((word) => words.has(word));
}

function withoutStop(text: string): string {
  return text.replace(/(?<![\s.!。！])[\s.!。！]+$/, "");
}

/** The same sentence may be told twice, with other spaces or another full stop. */
function key(text: string): string {
  return withoutStop(oneLine(text)).toLowerCase();
}
