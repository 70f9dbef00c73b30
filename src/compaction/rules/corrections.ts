import { dropTrailing } from "../../engine/text.ts";
import { isRule, plain } from "./is-rule.ts";
import { wordsOf } from "./sentence.ts";

/** Words of which every correction has one. Without them the patterns below need not be tried. */
const correcting = new Set(
  "no wait sorry scratch strike correction mean meant make rather mistake bad oops nein quatsch meine gesagt korrektur non pardon veux plutôt perdón quiero mejor digo actually".split(
    " ",
  ),
);
const opening = new Set(
  "wait no sorry actually scratch strike correction mean meant make second rather mistake bad oops change update forget never nevermind ignore revised new instead nein quatsch korrektur doch ich non pardon finalement en perdón corrección mejor cambio".split(
    " ",
  ),
);
const correctingHan = /不对|我是说|应该是|更正|改一下|纠正/;

function mayCorrect(sentence: string, words: ReadonlySet<string>): boolean {
  return !wordsOf(sentence.toLowerCase()).isDisjointFrom(words) || correctingHan.test(sentence);
}

/** In the middle of a sentence: the user corrects what was just said. */
const inlineCorrection =
  /(?<!\s)\s*(?<![,;.(—–-])[,;.(—–-]+\s*(?:(?:oh|um|uh|ah|er|hm+|well|ach|äh|euh|eh)[, ]+)?(?:no,? wait|wait,? no|no,? sorry|sorry,? no|no,? actually|scratch that|strike that|correction|i mean|i meant|make that|make it|or rather|sorry|wait|my mistake|my bad|oops|nein,? (?:halt|quatsch|moment)|quatsch|ich meine|besser gesagt|korrektur|non,? (?:pardon|attends)|pardon|je veux dire|plutôt|perdón|quiero decir|mejor dicho|digo|不对|我是说|应该是|no|actually)(?:[,:—–]|\s+-)?\s+(?:(?:sorry|i mean|i meant|make that|make it|actually|rather|it's|it is|that should be)[,:]?\s+){0,2}/i;

/** At the beginning of a sentence: the user corrects an earlier one. */
const openingCorrection =
  /^(?:(?:oh|um|uh|ah|er|hm+|well|ok|okay|ach|hey|and|but|so)[, ]+){0,2}(?:no,? wait|wait(?:,? no)?|no,? sorry|sorry|actually|scratch that|strike that|correction|i mean|i meant|make that|on second thoughts?|or rather|rather|my mistake|my bad|oops|change of plans?|update|forget (?:that|what i said|the)|never ?mind|revised|new plan|instead|nein|quatsch|korrektur|doch lieber|ich meine|non|pardon|correction|finalement|en fait|perdón|corrección|en realidad|mejor|cambio de planes|更正|不对|改一下|纠正)[,:.!—–]*\s*(?:(?:i mean|i meant|make that|make it|sorry|actually|that|what i said)[,:]?\s+){0,2}/i;

/** Anywhere in a sentence: something is different from what was said before. */
const changeWords =
  /\b(?:actually|instead|no longer|any ?more|not any longer|changed|changes to|change of plans?|correction|scratch|forget (?:what|that|the|about)|revised|switch(?:ed|ing)? to|moved to|moves to|from now on|rather than|lifted|is (?:now|fine now|ok now)|are now|now (?:is|use|goes?)|after all|on second thoughts?|i meant|new (?:rule|limit|port|branch|plan)|you (?:can|may) (?:now )?|it's (?:ok|okay|fine) (?:now )?to|no need to|don't have to|doch|nicht mehr|statt(?:dessen)?|ab jetzt|ab sofort|finalement|désormais|plus besoin|au lieu|en realidad|ya no|en lugar|a partir de ahora)\b|改为|改成|不再|现在(?:改|用|可以)|从现在/i;

/** A rule that is taken back without a new one. */
const revocation =
  /^(?:scratch|strike|forget|never ?mind|ignore)\b(?: (?:that|it|what i (?:just )?said|the last one|that (?:last )?(?:one|rule)|this))?[.!]*$/i;

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
    // "no" and "actually" are often no correction: the words after them must fit the words before.
    const isShort = /actually/i.test(match[0]) && words(after).length <= 2;
    const isCertain = isShort || !/^\W*(?:no|actually)\W*$/i.test(match[0]);
    if (after === "" || (!isCertain && !canReplace(before, after))) return text;
    text = isRule(after) && !isRule(`${before}.`) ? after : replaceEnd(before, after);
  }
  return text;
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
    // The words after a corrected value still hold: "keep 5 backups, no, 7".
    return [...said.slice(0, value), elision, dropTrailing(correction, ".!"), ...said.slice(value + 1)].join(
      " ",
    );
  }
  const cut = value === -1 ? Math.max(1, said.length - Math.min(fragment.length, 3)) : value;
  return `${said.slice(0, cut).join(" ")} ${elision} ${correction}`;
}

/** The text of a sentence that corrects an earlier one, without the words that announce it; undefined if it does not. */
export function openingOf(sentence: string): { rest: string; isRevocation: boolean } | undefined {
  if (!mayCorrect(sentence, opening)) return undefined;
  if (revocation.test(sentence.trim())) return { rest: "", isRevocation: true };
  const match = openingCorrection.exec(sentence);
  return match ? { rest: sentence.slice(match[0].length).trim(), isRevocation: false } : undefined;
}

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
  const dropped = droppedWords(text);
  if ([...dropped].some((word) => before.words.has(word) || before.values.has(word))) return true;
  const share = shared.length / smaller;
  const isChange = changeWords.test(text);
  if (openingCorrection.test(text) || (isRuleToo && isChange))
    return shared.length >= 2 ? share >= 0.4 : share >= 0.5;
  if (isChange) return shared.length >= 2 && share >= 0.5;
  const isOtherNumber = numbersDiffer(now.values, before.values);
  if (!isRuleToo) return isOtherNumber && shared.length >= 2 && share >= 0.75;
  return (isOtherNumber && share >= 0.75) || isOneWordApart(text, rule.text);
}

/** The words after "instead of", "not" and "no longer". */
function droppedWords(sentence: string): Set<string> {
  const found = [
    ...plain(sentence).matchAll(
      /\b(?:instead of|rather than|no longer|not|statt|au lieu de|en lugar de)\s+((?:\S+\s*){1,4})/g,
    ),
  ];
  return new Set(found.flatMap(([, text = ""]) => words(text).map(bare)).filter((word) => !common.has(word)));
}

/** The same positive sentence with one other word, such as another branch. */
function isOneWordApart(sentence: string, rule: string): boolean {
  const [a, b] = [words(plain(sentence)).map(bare), words(plain(rule)).map(bare)];
  if (a.length !== b.length || a.length < 5 || a.some((word) => negations.has(word))) return false;
  return a.filter((word, index) => word !== b[index]).length === 1;
}

const negations = new Set(["never", "not", "don't", "no", "nothing", "nie", "niemals", "jamais", "nunca"]);

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
  "a an the this that these those it its is are be been was were do does did done don't dont to of in on at by for from with without into onto as and or but if so then than when whenever until unless before after while about only just also please pls never always ever not no nothing none must should shall may can could would will have has had need needs use uses used using make makes sure ensure keep let lets let's you your yours we our us i me my they them their he she all any every each some more most other another new now actually instead sorry wait meant mean correction rather longer anymore change changed plan from-now-on going forward rule rules remember want like prefer get go goes put run runs set am there here what which who how why ok okay fine first again still too very really even over under up down out off der die das den dem ein eine einen nie niemals immer nicht kein keine bitte und oder aber auf in mit ohne le la les un une des de du jamais toujours pas ne et ou el los las una nunca siempre no y o que en con sin".split(
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
