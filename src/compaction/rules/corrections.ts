import { dropTrailing } from "../../engine/text.ts";
import { bare, contentOf, isValue, type Stated, splitWords } from "./content.ts";
import { isRule } from "./is-rule.ts";
import { wordsOf } from "./plain.ts";

/** Words of which every correction has one. Without them the patterns below need not be tried. */
const correcting = new Set(
  "no wait sorry scratch strike correction mean meant make rather mistake bad oops nein quatsch meine gesagt korrektur non pardon veux plutôt perdón quiero mejor digo actually er erm uh ehm hm hmm hmmm mmh hang nah god or".split(
    " ",
  ),
);
const opening = new Set(
  "wait no sorry actually scratch strike correction mean meant make second rather mistake bad oops hm hmm er erm uh hang edit typo let argh change update forget never nevermind ignore revised new instead nein quatsch korrektur doch ich non pardon finalement en perdón corrección mejor cambio".split(
    " ",
  ),
);
const correctingHan = /不对|我是说|应该是|更正|改一下|纠正/;

function mayCorrect(sentence: string, words: ReadonlySet<string>): boolean {
  return !wordsOf(sentence.toLowerCase()).isDisjointFrom(words) || correctingHan.test(sentence);
}

/** In the middle of a sentence: the user corrects what was just said. */
const inlineCorrection =
  /(?<!\s)\s*(?<![,;.(—–-])[,;.(—–-]+\s*(?:(?:oh|um|uh|ah|er|hm+|well|ach|äh|euh|eh)[, ]+)?(?:no,? wait|wait,? no|no,? sorry|sorry,? no|no,? actually|actually,? no|no,? god,? no|or no|hang on|nah|(?:hm+|mmh|ehm)(?:,? sorry)?|scratch that|strike that|correction|i mean|i meant|make that|make it|or rather|sorry|wait|my mistake|my bad|oops|nein,? (?:halt|quatsch|moment)|quatsch|ich meine|besser gesagt|korrektur|non,? (?:pardon|attends)|pardon|je veux dire|plutôt|perdón|quiero decir|mejor dicho|digo|不对|我是说|应该是|no(?=[,:—–])|actually|er|erm|uh)(?:[,:—–]|\s+-)?\s+(?:(?:sorry|i mean|i meant|make that|make it|actually|rather|it's|it is|that should be)[,:]?\s+){0,2}/i;

/** At the beginning of a sentence: the user corrects an earlier one. */
const openingCorrection =
  /^(?:(?:oh|um|uh|ah|argh|er|hm+|well|ok|okay|ach|hey|and|but|so)[, ]+){0,2}(?:let me correct (?:that|myself)|(?:hm+|er|erm|uh)(?=, \S*\d)|no,? wait|wait(?:,? no)?|no,? sorry|sorry|actually|scratch that|strike that|correction|i mean|i meant|make that|on second thoughts?|or rather|my mistake|my bad|oops|change of plans?|(?:change|update|revised|edit|typo|instead|rather)(?=[:,])|hang on|forget (?:that|what i said|the)|never ?mind|new plan|nein|quatsch|korrektur|doch lieber|ich meine|non(?=,)|pardon|correction|finalement|en fait|perdón|corrección|en realidad|mejor|cambio de planes|更正|不对|改一下|纠正)[,:.!—–]*\s*(?:(?:i mean|i meant|make that|make it|sorry|actually|that|what i said)[,:]?\s+){0,2}/i;

/** Openings that say that a value follows. */
const announcesValue =
  /\b(?:i meant|i mean|make that|make it|correction|scratch that|strike that|or rather|no,? wait|wait,? no|no,? sorry|korrektur|quatsch|ich meine|corrección)\b|更正|纠正|不对/i;

/** A rule that is taken back without a new one. */
const revocation =
  /^(?:scratch|strike|forget|never ?mind|ignore)\b(?: (?:that|it|what i (?:just )?said|the last one|that (?:last )?(?:one|rule)|this))?[.!]*$/i;

/** A rule is taken back by what it is about. */
const takenBack =
  /^(?!.*\b(?:eslint|lint|firewall|css)\b)(?:\S+ ){0,3}(?:scrap|drop|cancel|lift|forget|ignore|disregard|ditch) (?:the |my |that )?(?:(?:[\w-]+ ){0,3}(?:rule|restriction|requirement|ban)\b|what i said\b)|\bthe [\w -]{0,40}\brule\b[^?]{0,40}\bno longer applies\b/i;

/** What a value left in place looks like. */
const elision = "[…]";

/** A rule that is corrected in its own sentence, in its last form: the corrected words are left out. */
export function settleInline(sentence: string): string {
  if (!mayCorrect(sentence, correcting)) return sentence;
  let text = sentence;
  for (let round = 0; round < 3; round++) {
    const match = inlineCorrection.exec(text);
    if (!match || splitWords(text.slice(0, match.index)).length < 3) return text;
    const before = text.slice(0, match.index).trimEnd();
    const after = text.slice(match.index + match[0].length).trim();
    const settled = isFragment(before, after, !doubtful.test(match[0]), !/^\W*no\W*$/i.test(match[0]))
      ? isRule(after) && !isRule(`${before}.`)
        ? after
        : replaceEnd(before, after)
      : saidAnew(before, match[0], after);
    if (after === "" || settled === undefined) return text;
    text = settled;
  }
  return text;
}

/**
 * A rule that is said anew, often with the reason first: "…, hmm, 3000 is taken, use port 3100". Its values are left
 * out of what was said before; without one, all that is. undefined if the words after it are about something else.
 */
function saidAnew(before: string, sign: string, after: string): string | undefined {
  const last = after.split(/[,;]\s+/).at(-1) ?? "";
  const [now, old] = [contentOf(last), contentOf(before)];
  const isAbout = [...now.words].some((word) => old.words.has(word));
  const values = [...old.values].filter((value) => !now.values.has(value));
  if (values.length > 0 && now.values.size > 0) {
    const words = before.split(" ").map((word) => (values.includes(bare(word)) ? elision : word));
    return `${words.join(" ")}${sign}${after}`;
  }
  return isAbout && splitWords(last).length >= 3 ? after : undefined;
}

/** Words that are often no correction: what follows must fit the words before. */
const doubtful =
  /^\W*(?:(?:oh|um|uh|ah|hm+|well)\W+)?(?:no|actually|sorry|wait|oops|make it|make that|er|erm|uh)\W*$/i;

/** What begins a remark, not a value: "I mean it", "sorry, but …". */
const remark =
  /^(?:wait for|let me|hold|it|i|i'm|i've|i'll|you|we|he|she|they|there|but|and|because|if|what|really|seriously|so|thanks|please|gotta)\b/i;
const doubtfulRemark = /^(?:for|about|an?|the|that|this|to|then|until|great|good)\b/i;

/** Whether a text can take the place of the end of the text before it: one word or two can, after most words. */
export function isFragment(before: string, after: string, isCertain: boolean, mayBeShort = true): boolean {
  if (remark.test(after)) return false;
  if (isCertain || canReplace(before, after)) return true;
  return mayBeShort && splitWords(after).length <= 2 && !doubtfulRemark.test(after);
}

/** Whether a short text after "no" can replace the end of the text before it: a value of the same kind, or the same word. */
function canReplace(before: string, after: string): boolean {
  const [first = "", ...rest] = splitWords(after);
  const last = splitWords(before).slice(-8);
  if (rest.length > 5) return false;
  return last.some((word) => word.toLowerCase() === first.toLowerCase() || (isValue(word) && isValue(first)));
}

/** Puts a correction in place of the words that it corrects. */
export function replaceEnd(before: string, correction: string): string {
  const fragment = splitWords(correction);
  const [first = ""] = fragment;
  const said = splitWords(before);
  const from = Math.max(0, said.length - 9);
  const same = said.findLastIndex((word, index) => index >= from && bare(word) === bare(first));
  if (same > 0) return `${said.slice(0, same).join(" ")} ${elision} ${correction}`;
  const kind = fragment.findIndex(isValue);
  const value = kind === -1 ? -1 : said.findLastIndex((word, index) => index >= from && isValue(word));
  if (value !== -1 && fragment.length <= 2) {
    // The words after a corrected value still hold: "keep 5 backups, no, 7", unless they are said again: "no, 7 backups".
    const after = said.slice(value + 1);
    const again = fragment.slice(kind + 1);
    const isSaidAgain = again.every((word, index) => bare(word) === bare(after[index] ?? ""));
    const rest = isSaidAgain ? after.slice(again.length) : after;
    return [...said.slice(0, value), elision, dropTrailing(correction, ".!"), ...rest].join(" ");
  }
  const cut = value === -1 ? Math.max(1, said.length - Math.min(fragment.length, 3)) : value;
  return `${said.slice(0, cut).join(" ")} ${elision} ${correction}`;
}

/** The text of a sentence that corrects an earlier one, without the words that announce it; undefined if it does not. */
export function openingOf(sentence: string): Opening | undefined {
  if (!mayCorrect(sentence, opening)) return undefined;
  if (revocation.test(sentence.trim()))
    return { rest: "", isRevocation: true, hasValue: false, isRemark: false };
  const match = openingCorrection.exec(sentence);
  if (!match) return undefined;
  const hasValue = announcesValue.test(match[0]);
  // "Rather use const" is a sentence of its own, "Sorry, const" is not.
  const isApart = hasValue || /[,:.!—–]\s*$/.test(match[0]);
  const after = sentence.slice(match[0].length).trim();
  const isRemark = remark.test(after) || doubtfulRemark.test(after);
  return { rest: isApart ? after : "", isRevocation: false, hasValue, isRemark };
}

/** How a sentence begins that corrects an earlier one. */
export interface Opening {
  /** What follows it; empty if that is no part of an earlier sentence. */
  rest: string;
  isRevocation: boolean;
  /** Whether it says that a value follows. */
  hasValue: boolean;
  /** Whether a remark follows, which corrects nothing: "sorry for being so strict". */
  isRemark: boolean;
}

/** What a sentence takes back by naming what it is about: "scrap the rule about tabs"; undefined for nothing. */
export function takenBackBy(sentence: string): ((rule: Stated) => boolean) | undefined {
  if (!takenBack.test(sentence)) return undefined;
  const { words: subject, values } = contentOf(sentence.replace(takenBackWords, ""));
  return ({ about }) => !subject.isDisjointFrom(about.words) || !values.isDisjointFrom(about.values);
}

const takenBackWords =
  /\b(?:scrap|drop|cancel|lift|forget|ignore|disregard|ditch|restriction|requirement|ban|said|applies)\b/gi;
