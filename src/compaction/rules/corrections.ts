import { dropTrailing } from "../../engine/text.ts";
import { isRule, plain } from "./is-rule.ts";
import { wordsOf } from "./sentence.ts";

/** Words of which every correction has one. Without them the patterns below need not be tried. */
const correcting = new Set(
  "no wait sorry scratch strike correction mean meant make rather mistake bad oops nein quatsch meine gesagt korrektur non pardon veux plutôt perdón quiero mejor digo actually er erm uh".split(
    " ",
  ),
);
const opening = new Set(
  "wait no sorry actually scratch strike correction mean meant make second rather mistake bad oops hm hmm er erm uh change update forget never nevermind ignore revised new instead nein quatsch korrektur doch ich non pardon finalement en perdón corrección mejor cambio".split(
    " ",
  ),
);
const correctingHan = /不对|我是说|应该是|更正|改一下|纠正/;

function mayCorrect(sentence: string, words: ReadonlySet<string>): boolean {
  return !wordsOf(sentence.toLowerCase()).isDisjointFrom(words) || correctingHan.test(sentence);
}

/** In the middle of a sentence: the user corrects what was just said. */
const inlineCorrection =
  /(?<!\s)\s*(?<![,;.(—–-])[,;.(—–-]+\s*(?:(?:oh|um|uh|ah|er|hm+|well|ach|äh|euh|eh)[, ]+)?(?:no,? wait|wait,? no|no,? sorry|sorry,? no|no,? actually|scratch that|strike that|correction|i mean|i meant|make that|make it|or rather|sorry|wait|my mistake|my bad|oops|nein,? (?:halt|quatsch|moment)|quatsch|ich meine|besser gesagt|korrektur|non,? (?:pardon|attends)|pardon|je veux dire|plutôt|perdón|quiero decir|mejor dicho|digo|不对|我是说|应该是|no|actually|er|erm|uh)(?:[,:—–]|\s+-)?\s+(?:(?:sorry|i mean|i meant|make that|make it|actually|rather|it's|it is|that should be)[,:]?\s+){0,2}/i;

/** At the beginning of a sentence: the user corrects an earlier one. */
const openingCorrection =
  /^(?:(?:oh|um|uh|ah|er|hm+|well|ok|okay|ach|hey|and|but|so)[, ]+){0,2}(?:(?:hm+|er|erm|uh)(?=, \S*\d)|no,? wait|wait(?:,? no)?|no,? sorry|sorry|actually|scratch that|strike that|correction|i mean|i meant|make that|on second thoughts?|or rather|rather|my mistake|my bad|oops|change of plans?|change(?=:)|update|forget (?:that|what i said|the)|never ?mind|revised|new plan|instead|nein|quatsch|korrektur|doch lieber|ich meine|non(?=,)|pardon|correction|finalement|en fait|perdón|corrección|en realidad|mejor|cambio de planes|更正|不对|改一下|纠正)[,:.!—–]*\s*(?:(?:i mean|i meant|make that|make it|sorry|actually|that|what i said)[,:]?\s+){0,2}/i;

/** Openings that say that a value follows. */
const announcesValue =
  /\b(?:i meant|i mean|make that|make it|correction|scratch that|strike that|or rather|no,? wait|wait,? no|no,? sorry|korrektur|quatsch|ich meine|corrección)\b|更正|纠正|不对/i;

/** Anywhere in a sentence: something is different from what was said before. */
const changeWords =
  /\b(?:instead|no longer|any ?more|not any longer|changed|changes to|change of plans?|correction|scratch|forget (?:what|that|the|about)|revised|switch(?:ed|ing)? to|moved|moves to|raised?|lower(?:ed)?|fair game|rather than|lifted|(?:is|are) now(?! (?:up|down|running|green|red|working|fixed|broken|ready|live|available|back|in place))|is (?:fine|ok) now|now (?:is|use|goes?)|after all|on second thoughts?|i meant|new (?:rule|limit|port|branch|plan)|you (?:can|may) (?:now )?(?!see|find|look|check|tell)|it's (?:ok|okay|fine) (?:now )?to|no need to|don't have to|doch|nicht mehr|statt(?:dessen)?|finalement|plus besoin|au lieu|en realidad|ya no|en lugar)\b|改为|改成|不再|现在(?:改|用|可以)/i;

/** Begins a rule that may be a new form of an earlier one, or stand beside it. */
const fromNowOn =
  /\b(?:actually|from now on|ab jetzt|ab sofort|désormais|a partir de ahora|de ahora en adelante)\b|从现在/i;

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
    if (!match || match.index < 8) return text;
    const before = text.slice(0, match.index).trimEnd();
    const after = text.slice(match.index + match[0].length).trim();
    if (after === "" || !isFragment(before, after, !doubtful.test(match[0]), !/^\W*no\W*$/i.test(match[0])))
      return text;
    text = isRule(after) && !isRule(`${before}.`) ? after : replaceEnd(before, after);
  }
  return text;
}

/** Words that are often no correction: what follows must fit the words before. */
const doubtful =
  /^\W*(?:(?:oh|um|uh|ah|hm+|well)\W+)?(?:no|actually|sorry|wait|oops|make it|make that|er|erm|uh)\W*$/i;

/** What begins a remark, not a value: "I mean it", "sorry, but …". */
const remark =
  /^(?:it|i|i'm|i've|i'll|you|we|he|she|they|there|but|and|because|if|what|really|seriously|so|thanks|please|gotta)\b/i;
const doubtfulRemark = /^(?:for|about|an?|the|that|this|to|then|until|great|good)\b/i;

/** Whether a text can take the place of the end of the text before it: one word or two can, after most words. */
export function isFragment(before: string, after: string, isCertain: boolean, mayBeShort = true): boolean {
  if (remark.test(after)) return false;
  if (isCertain || canReplace(before, after)) return true;
  return mayBeShort && words(after).length <= 2 && !doubtfulRemark.test(after);
}

/** Whether a short text after "no" can replace the end of the text before it: a value of the same kind, or the same word. */
function canReplace(before: string, after: string): boolean {
  const [first = "", ...rest] = words(after);
  const last = words(before).slice(-8);
  if (rest.length > 5) return false;
  return last.some((word) => word.toLowerCase() === first.toLowerCase() || (isValue(word) && isValue(first)));
}

/** Puts a correction in place of the words that it corrects. */
export function replaceEnd(before: string, correction: string): string {
  const fragment = words(correction);
  const [first = ""] = fragment;
  const said = words(before);
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
  if (revocation.test(sentence.trim())) return { rest: "", isRevocation: true, hasValue: false };
  const match = openingCorrection.exec(sentence);
  if (!match) return undefined;
  const hasValue = announcesValue.test(match[0]);
  // "Rather use const" is a sentence of its own, "Sorry, const" is not.
  const isApart = hasValue || /[,:.!—–]\s*$/.test(match[0]);
  return { rest: isApart ? sentence.slice(match[0].length).trim() : "", isRevocation: false, hasValue };
}

interface Opening {
  /** What follows it; empty if that is no part of an earlier sentence. */
  rest: string;
  isRevocation: boolean;
  /** Whether it says that a value follows. */
  hasValue: boolean;
}

/** What a sentence takes back by naming what it is about: "scrap the rule about tabs"; undefined for nothing. */
export function takenBackBy(sentence: string): ((rule: Stated) => boolean) | undefined {
  if (!takenBack.test(sentence)) return undefined;
  const { words: subject, values } = contentOf(sentence.replace(takenBackWords, ""));
  return ({ about }) => !subject.isDisjointFrom(about.words) || !values.isDisjointFrom(about.values);
}

const takenBackWords =
  /\b(?:scrap|drop|cancel|lift|forget|ignore|disregard|ditch|restriction|requirement|ban|said|applies)\b/gi;

/** A text and what it is about, found once. */
export interface Stated {
  text: string;
  about: Content;
}

/** What a sentence is about: its words in a plain form, and its values (numbers, paths, names with signs in them). */
interface Content {
  words: ReadonlySet<string>;
  values: ReadonlySet<string>;
}

export function stated(text: string): Stated {
  return { text, about: contentOf(text) };
}

/** Whether a sentence replaces an earlier rule: it says that something changed, or gives the same rule another value. */
export function replacesRule(sentence: Stated, rule: Stated, isRuleToo: boolean): boolean {
  const { text, about: now } = sentence;
  const { about: before } = rule;
  const shared = [...now.words].filter((word) => before.words.has(word));
  if (shared.length === 0) return isRuleToo && isOneWordApart(text, rule.text);
  const smaller = Math.max(1, Math.min(now.words.size, before.words.size));
  const share = shared.length / smaller;
  if (mayDrop.test(text) && dropsRule(sentence, rule)) return true;
  const isEnough = shared.length >= 2 ? share >= 0.4 : share >= 0.5;
  const isOtherNumber = numbersDiffer(now.values, before.values);
  const isChange = changeWords.test(text);
  const isCorrection = openingCorrection.test(text);
  if (isRuleToo && (isCorrection || (isChange && (shared.length >= 2 || smaller === 1)))) return isEnough;
  if (isChange && isOtherDay(text, rule.text)) return true;
  if (isRuleToo && fromNowOn.test(text) && isEnough && isOtherForm(now, before)) return true;
  if (!isRuleToo && (isChange || isCorrection) && isNarrower(now, before)) return false;
  if (isCorrection && (isChange || isOtherNumber)) return isEnough;
  if (isChange) return shared.length >= 2 && share >= 0.5;
  if (!isRuleToo) return isOtherNumber && shared.length >= 2 && share >= 0.75;
  return (isOtherNumber && share >= 0.75) || isOneWordApart(text, rule.text);
}

/** Whether two sentences name different days of the week. */
function isOtherDay(now: string, before: string): boolean {
  const [a, b] = [now, before].map((text) => new Set(text.toLowerCase().match(weekday)));
  return a !== undefined && b !== undefined && a.size > 0 && b.size > 0 && a.isDisjointFrom(b);
}

const weekday = /\b(?:mon|tues|wednes|thurs|fri|satur|sun)day/g;

/** Whether two sentences differ in a word or two: the same rule with another value. */
function isOtherForm(now: Content, before: Content): boolean {
  return (
    now.words.difference(before.words).size <= 1 &&
    before.words.difference(now.words).size <= 2 &&
    (numbersDiffer(now.values, before.values) || now.words.size > 1)
  );
}

/** Whether a sentence is about one thing that the rule does not name: a permission for once. */
function isNarrower(now: Content, before: Content): boolean {
  return [...now.values.difference(before.values)].some((value) => !/^[\d.,:%]+\w{0,3}$/.test(value));
}

/** Words of which every sentence that drops a rule has one. */
const mayDrop = /\b(?:not|instead|rather|switched|longer|statt|lieu|lugar)\b/i;

/** Whether a sentence says that something else is to be done than what the rule demands: "pnpm, not npm". */
function dropsRule({ text, about }: Stated, rule: Stated): boolean {
  const demand = plain(rule.text).replace(/(?:,| and) (?:not|never)\b.*|\binstead of\b.*/, "");
  if (words(demand).some((word) => negations.has(bare(word)))) return false;
  const demanded = contentOf(demand);
  const isDemanded = (word: string) => demanded.words.has(word) || demanded.values.has(word);
  if (found(text, /\b(?:switched from|(?:we|i) (?:\w+ )?no longer(?: use)?)\s+(\S+)/g).some(isDemanded))
    return true;
  const contrast =
    /(?:\b(?:instead of|rather than|statt|au lieu de|en lugar de)|(?:,|\band) not)\s+((?:\S+\s*){1,3})/g;
  const given = found(text, contrast).filter(isDemanded);
  if (given.some(isValue)) return true;
  // The sentence is about the same thing: it begins like the rule, or has another word of it.
  const others = [...about.words].filter((word) => demanded.words.has(word) && !given.includes(word));
  return given.length > 0 && (others.length > 0 || beginsAlike(text, demand));
}

function beginsAlike(a: string, b: string): boolean {
  const [first, second] = [a, b].map((text) => bare(words(text)[0] ?? ""));
  return first === second;
}

/** The words that a pattern finds in a sentence, as `contentOf` has them. */
function found(sentence: string, pattern: RegExp): string[] {
  const content = contentOf([...plain(sentence).matchAll(pattern)].map(([, text = ""]) => text).join(" "));
  return [...content.words, ...content.values];
}

/** The same positive sentence with one other word, such as another branch. */
function isOneWordApart(sentence: string, rule: string): boolean {
  const [a, b] = [words(plain(sentence)).map(bare), words(plain(rule)).map(bare)];
  if (a.length !== b.length || a.length < 5 || a.some((word) => negations.has(word))) return false;
  return a.filter((word, index) => word !== b[index]).length === 1;
}

const negations = new Set(
  "never not don't no nothing forbidden prohibited banned avoid stop off nie niemals kein keine jamais pas nunca".split(
    " ",
  ),
);

function numbersDiffer(now: ReadonlySet<string>, before: ReadonlySet<string>): boolean {
  const numbers = (values: ReadonlySet<string>) =>
    [...values].filter((value) => /^v?\d[\d.,:%]*\w{0,3}$/.test(value));
  const [a, b] = [numbers(now), numbers(before)];
  return a.length > 0 && b.length > 0 && !a.some((value) => b.includes(value));
}

/** Values of a text that its correction no longer has. */
export function withdrawnValues(before: string, after: string): string[] {
  const now = contentOf(after).values;
  return [...contentOf(before).values].filter((value) => !now.has(value));
}

/** Words that say nothing about the subject of a rule. */
const common = new Set(
  "xx a an the this that these those it its is are be been was were do does did done don't dont to of in on at by for from with without into onto as and or but if so then than when whenever until unless before after while about one whole only just also please pls never always ever not no nothing none must should shall may can could would will have has had need needs use uses used using make makes sure ensure keep let lets let's you your yours we our us i me my they them their he she all any every each some more most other another new now actually instead sorry wait meant mean correction rather longer anymore change changed plan from-now-on going forward rule rules remember want like prefer get go goes put run runs set am there here what which who how why ok okay fine first again still too very really even over under up down out off der die das den dem ein eine einen nie niemals immer nicht kein keine bitte und oder aber auf in mit ohne ab jetzt sofort verwende nimm nutze le la les un une des de du jamais toujours pas ne et ou el los las una nunca siempre no y o que en con sin".split(
    " ",
  ),
);

function contentOf(sentence: string): Content {
  const found = { words: new Set<string>(), values: new Set<string>() };
  for (const word of words(sentence.toLowerCase().replaceAll("’", "'"))) {
    const text = bare(word);
    if (isValue(text)) found.values.add(text);
    else if (text.length > 1 && !common.has(text)) found.words.add(stem(text));
    // Text without spaces between words: compare pairs of characters.
    if (/[\u3040-\u30ff\u4e00-\u9fff]/.test(text))
      for (let index = 0; index + 2 <= text.length; index++) found.words.add(text.slice(index, index + 2));
  }
  return found;
}

function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ing|ed|es|s)$/, "") : word;
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

const ascii = /^[\x20-\x7e]*$/;

/** A word without the punctuation around it. */
function bare(word: string): string {
  // The patterns for letters of all scripts take long to compile.
  if (ascii.test(word)) return word.toLowerCase().replace(/^[^\w./@-]+|(?<![^\w/@-])[^\w/@-]+$/g, "");
  return word
    .toLowerCase()
    .replace(/^[^\p{L}\p{N}./@_-]+/u, "")
    .replace(/(?<![^\p{L}\p{N}/@_-])[^\p{L}\p{N}/@_-]+$/u, "");
}

function isValue(word: string): boolean {
  return /\d/.test(word) || /[/@_\\]|\w[.-]\w/.test(bare(word));
}
