import { dropTrailing } from "../../engine/text.ts";
import { bare, contentOf, isValue, type Stated, splitWords } from "./content.ts";
import { isRule, mayBeRule } from "./is-rule.ts";
import { matchesAny, upTo } from "./pattern.ts";
import { wordsOf } from "./plain.ts";
import { rivalOf } from "./rivals.ts";

/** Sounds and small words before a correction. */
const hesitation = upTo(
  3,
  "(?:oh+(?: (?:dear|man))?|ah+(?: crap)?|uy|ay|ai|oi|oj|och|kurde|merde|mierda|shit|damn|dang|ha(?:ha)+h?|heh|jaja(?:ja)?|lmao|um|uh|er+m?|e+h+m?|hm+|m{2,}|mmh|mhm|meh|ei|eish|argh|ugh|gah|pf+|well|ok(?:ay)?|lol|ach|äh|euh)[, ]+",
);

/** The same before a sentence. */
const openingHesitation = `(?:(?:but|and|so|hey)[, ]+)?${hesitation}`;

/** Words that say that what was just said is not so. */
const certainTurns = [
  "no+,? wait|wait,? (?:no|wait|actually|wrong)|no,? no+|no,? hang on|no+,? sorry|no,? pardon(?: me)?|sorry,? no|no,? actually|actually,? (?:no|nvm)|no,? hm+|hm+,? (?:no|sorry|well)|no,? stop|no,? let me|no,? god,? no|(?:or|but|so) no(?=[,:.])|(?:ah+|oh+|ok|eh+|hm+|well|uh|m{2,}h?|lol),? no+(?=[,:.—– ]|$)",
  "(?:no,? |wait,? )?(?:scratch|strike|scrap) that|(?:negative,? )?hold up(?=[,:.—– ])|negative(?=,)|errat(?:um|a)(?=[,:.])|i (?:must|have to|should|need to|want to) (?:amend|correct|revise|retract|withdraw)(?: (?:this|that|it|myself|the (?:foregoing|above)))?|i misspoke|i stand corrected|i tell a lie|(?:nej|nie|nee|não)(?=,)|or better(?: yet| still)?|(?:or,? )?(?:forgive|pardon) me|(?:i am|i'm) (?:very |so |terribly |really )?sorry(?=[,.])|sorry,? sorry|sorry,? (?:hapana|nie|nej|nein|não|nee)(?=,)|i beg your pardon|correction(?=[,:.—–])|i meant|i mean|or rather|my mistake|my bad|let me (?:rephrase|correct (?:that|myself)|say that better|put it (?:more|differently)|be (?:stricter|clearer)|update that|fix that)|lemme fix that|i take (?:it|that) back|(?:hang|hold) on(?=[,:.—–])|oops|on second thoughts?|come to think of it|thinking about it|brain fart|(?:ah|oh) crap|(?:ah|oh) hold on|oh (?:but|i see)|excuse me|edit(?=:)|typo(?=[:,])|what nonsense|what am i saying|(?:please )?ignore what i just (?:wrote|said)|forget that|i got that wrong",
  "(?:nope|nah),? (?:hang on|hold on|hold up|wait)|nope|nah|argh|ugh|gah|er+m?|e+h+m?|hm+|mmh|wrong(?=,)|or let me|or you know what",
  "nein,? (?:halt|quatsch|moment)|quatsch|ich meine|besser gesagt|korrektur|non,? (?:pardon|attends)|pardon(?: me)?|je veux dire|plutôt|perdón|quiero decir|mejor dicho|digo|不对|我是说|应该是",
].join("|");

/** Words that often say so. */
const doubtfulTurns =
  "no(?=[,:—–]| (?:\\d|that's|that was|it was|they've|i've|we've|what i|let me)\\b)|actually|sorry|sry|wait(?=[,:.—–]| (?:that's|wrong|no)\\b)|(?:well|uh|ah|oh|mhm|meh)(?=[,:])";

const apology = "(?:(?:and )?(?:(?:forgive|pardon|excuse) me|apologies)[,:]\\s+)";
const openingApology = new RegExp(`^${apology}`, "i");

const fillers = `${apology}?${upTo(2, "(?:typo|sorry|i mean|i meant|actually|rather|better|it's|it is|that should be)[,:]?\\s+")}`;

/** In the middle of a sentence: the user corrects what was just said. */
const inlineCorrection = new RegExp(
  `(?<!\\s)\\s*(?<![,;.(—–>-])[,;.(—–>-]+\\s*${hesitation}(?:(?:${certainTurns}|${doubtfulTurns})(?:[,:—–.]+|\\s+-)?\\s+${fillers}|(?=make (?:that|it)\\b))`,
  "i",
);

/** At the beginning of a sentence: the user corrects an earlier one. The turns are captured for the reason of `upTo`. */
const openingCorrection = new RegExp(
  `^${openingHesitation}(?:(?:actually,? )?(${certainTurns})|change of plans?|(?:change|update|revised|instead|rather)(?=[:,])|forget (?:what i said|the)|never ?mind|new plan|(?=make (?:that|it)\\b)|nein|doch lieber|non(?=,)|finalement|en fait|corrección|en realidad|mejor|cambio de planes|更正|改一下|纠正|no(?=[,:.!—–]|$)|actually|sorry|wait|argh|hm+|well(?=[,.]))(?![\\w'])[,:.!—–]*\\s*${upTo(2, "(?:i mean|i meant|sorry|actually|that|what i said)[,:]?\\s+")}`,
  "i",
);

/** The correction comes first: "200 lines, actually." */
const closingCorrection = /^([^,]{1,40}),? (?:actually|i mean|sorry)[.!]*$/i;

/** A complaint about what was just said. */
const complaints = [
  `^${upTo(4, "[^\\s,]+[, ]+")}(?:threw|binned|killed|scrapped|dropped|vetoed|overruled) (?:that|it|this)\\b`,
  `^${upTo(2, "[^\\s,]+[, ]+")}that(?:'?s| is| was| would be)? (?:too|not (?:enough|right|true|so)|isn't (?:enough|right)|wrong|can't be|doesn't work|won't work|went wrong|got messy|lost|clutters|breaks|hurts|gives)\\b`,
  `^${upTo(2, "[^\\s,]+[, ]+")}i'm (?:exaggerating|wrong|confusing)\\b`,
].map((pattern) => new RegExp(pattern, "i"));

/** Words and sounds of which every correction has one. Without them the patterns above need not be tried. */
const correcting = new Set(
  "forgive better no wait sorry sry scratch strike correction mean meant make rather mistake bad oops nein quatsch meine gesagt korrektur non pardon veux plutôt perdón quiero mejor digo actually uh mmh mhm hang hold nah nope god or rephrase correct stricter clearer update fix back thought thoughts thinking think fart negative hapana threw binned killed scrapped dropped vetoed overruled erratum errata amend revise retract withdraw misspoke corrected lie nej nie nee não haha hahaha jaja excuse edit typo nonsense saying ignore forget argh ugh gah wrong well ah oh meh but let never nevermind change revised new instead doch ich finalement en corrección cambio that that's thats exaggerating confusing".split(
    " ",
  ),
);
const sounds = /\b(?:hm+|er+m?|e+h+m?|uy|no+)\b/i;
const correctingHan = /不对|我是说|应该是|更正|改一下|纠正/;

function mayCorrect(sentence: string): boolean {
  return (
    !wordsOf(sentence.toLowerCase()).isDisjointFrom(correcting) ||
    sounds.test(sentence) ||
    correctingHan.test(sentence)
  );
}

/** Openings that say that a value follows. */
const announcesValue =
  /\b(?:i meant|i mean|make that|make it|correction|scratch that|strike that|or rather|no,? wait|wait,? no|no,? sorry|nope|nah|korrektur|quatsch|ich meine|corrección)\b|更正|纠正|不对/i;

/** A rule that is taken back without a new one. */
const revocation =
  /^(?:scratch|strike|forget|never ?mind|ignore)\b(?: (?:that|it|what i (?:just )?said|the last one|that (?:last )?(?:one|rule)|this))?[.!]*$/i;

/** A rule is taken back by what it is about. */
const takenBack =
  /^(?!.*\b(?:eslint|lint|firewall|css|don't|do not|never|not|can't|cannot|why|who|did|didn't)\b|.*\?\s*$)(?:\S+ ){0,3}(?:scrap|drop|cancel|lift|forget|ignore|disregard|ditch) (?:the |my |that )?(?:(?:[\w-]+ ){0,3}(?:rule|restriction|requirement|ban)\b|what i said\b)|^(?!who\b)[^?]*\bthe [\w -]{0,40}\brule\b[^?]{0,40}\bno longer applies\b/i;

/** Without one of these words nothing is taken back. */
const mayTakeBack = /\b(?:rule|restriction|requirement|ban|what i said)\b/i;

/** What a value left in place looks like. */
const elision = "[…]";

/** Where the user corrects what was just said in the same sentence: after a sign that interrupts it. */
function correctionIn(sentence: string): RegExpExecArray | null {
  const from = sentence.search(/[,;.(—–>-]/);
  return from !== -1 && mayCorrect(sentence.slice(from)) ? inlineCorrection.exec(sentence) : null;
}

/** A rule that is corrected in its own sentence, in its last form: the corrected words are left out. */
export function settleInline(sentence: string): string {
  let text = sentence;
  for (let round = 0; round < 3; round++) {
    const match = correctionIn(text);
    if (!match || splitWords(text.slice(0, match.index)).length < 2) return text;
    const before = text.slice(0, match.index).trimEnd();
    const after = text.slice(match.index + match[0].length).trim();
    const settled = settle(before, match[0], after);
    if (after === "" || settled === undefined) return text;
    text = settled;
  }
  return text;
}

/** "…, hmm, no." */
const endingTurn = new RegExp(
  `[,;—–-]\\s*${hesitation}(?:actually )?${hesitation}(?:${certainTurns}|no|wait)[.!…]*$`,
  "i",
);

const longestTurn = 60;

/** Whether a sentence takes back what it says, and leaves it to the next one to say it anew. */
export function isLeftOpen(sentence: string, settled: string): boolean {
  const end = sentence.slice(-longestTurn);
  // "Pop-ups on mobile, no." is a rule.
  if (mayCorrect(end) && endingTurn.test(end) && splitWords(sentence).length > 5) return true;
  const match = correctionIn(sentence);
  if (match === null || isDoubtful(match[0]) || settled !== sentence) return false;
  return !/^(?:make|it)\b/i.test(sentence.slice(match.index + match[0].length));
}

/** What is said after a correction takes the place of the end of what was said before, or of all of it. */
function settle(before: string, turn: string, after: string): string | undefined {
  const [value, ...rest] = clausesOf(after);
  const isCertain = !isDoubtful(turn);
  const isAbout = (clauses: readonly string[]) =>
    !contentOf(clauses.join(" ")).words.isDisjointFrom(contentOf(before).words);
  const isAnew = isAbout(rest) && rest.some((clause) => splitWords(clause).length >= 3);
  if (!isAnew && isFragment(before, value, isCertain, /\b(?:sorry|sry|wait|oops|actually,)\W*$/i.test(turn)))
    return isRule(after) && !isRule(`${before}.`) ? after : replaceEnd(before, after);
  return saidAnew(before, turn, after);
}

export function clausesOf(text: string): [first: string, ...rest: string[]] {
  const [first = "", ...rest] = text.split(/[,;:](?=\s)\s*|\.{2,}\s*/);
  return [first, ...rest];
}

/**
 * A rule that is said anew, often with the reason first: "…, hmm, 3000 is taken, use port 3100". What was said before is
 * left out if the new words are about the same; else its values are. undefined if nothing is said anew.
 */
function saidAnew(before: string, turn: string, after: string): string | undefined {
  const last = clausesOf(after).findLast((clause) => splitWords(clause).length >= 3) ?? after;
  const [now, old] = [contentOf(after), contentOf(before)];
  const shared = now.words.intersection(old.words).size;
  const isAbout = shared > 0;
  // "Actually run it" is emphasis, "oh, and never …" one more rule, and "make it fast" the rest of the sentence.
  if (/^\W*actually\s*$/i.test(turn) || /^(?:and|or|make (?:it|that))\b/i.test(after)) return undefined;
  const isSaid = splitWords(last).length >= 3 && (isAbout || mayBeRule(last) || mayBeRule(after));
  const isTurned =
    !isDoubtful(turn) || shared > 1 || isRule(last) || (old.values.size > 0 && now.values.size > 0);
  if (isAbout && isSaid && isTurned) return after;
  const values = [...old.values].filter((value) => !contentOf(last).values.has(value));
  if (values.length > 0 && now.values.size > 0) {
    const words = before.split(" ").map((word) => (values.includes(bare(word)) ? elision : word));
    return `${words.join(" ")}${turn}${after}`;
  }
  return isSaid && !isDoubtful(turn) ? after : undefined;
}

/** Words that are often no correction: what follows must fit the words before. */
function isDoubtful(turn: string): boolean {
  return doubtful.test(turn) && !beyondDoubt.test(turn);
}

const doubtful = new RegExp(`^\\W*${hesitation}(?:${doubtfulTurns}|oops)\\W*$`, "i");
const beyondDoubt = new RegExp(`^\\W*${hesitation}(?!oops)(?:${certainTurns})`, "i");

/** What begins a remark, not a value: "I mean it", "sorry, but …". */
const remark =
  /^(?:wait for|let me|hold|it|i|i'm|i've|i'll|you|we|he|she|they|there|but|and|because|if|what|really|seriously|so|thanks|please|gotta|old habit|force of habit|too|just|that's|that is|this is|ok|okay|leave|let's|kidding|fine|right|nice|cool|never mind)\b/i;
const socialRemark = /^(?:for|about|until|to|great|good|done|problem|worries|need|idea)\b/i;
const doubtfulRemark =
  /^(?:for|about|an?|the|that|this|to|then|until|great|good|problem|worries|need|idea)\b/i;

/** A value is not said in more words. */
const maxFragment = 6;

/** Whether a text can take the place of the end of the text before it: one word or two can, after most words. */
export function isFragment(before: string, after: string, isCertain: boolean, mayBeShort = true): boolean {
  const value = after.replace(/^make (?:that|it) /i, "");
  if (remark.test(value) || splitWords(value).length > maxFragment) return false;
  // "If it is slow, make it fast" corrects nothing.
  if (value !== after) return contentOf(before).values.size > 0 && contentOf(value).values.size > 0;
  if (canReplace(before, value)) return true;
  // "200 MB, eh no, cheap phones will die": the new value is still to come.
  const isReason = splitWords(value).length > 3 && isWithout(value) && !isWithout(before);
  if (isCertain) return !isReason;
  return mayBeShort && splitWords(value).length <= 2 && !doubtfulRemark.test(value);
}

function isWithout(text: string): boolean {
  return contentOf(text).values.size === 0;
}

/** Whether a text can replace the end of the text before it: a value of the same kind, or one after the same small word. */
function canReplace(before: string, after: string): boolean {
  const [first = "", ...rest] = splitWords(after);
  const last = splitWords(before).slice(-8);
  return last.some(
    (word) =>
      (isSmall.test(first) && rest.length < maxFragment && word.toLowerCase() === first.toLowerCase()) ||
      (isValue(word) && isValue(first)) ||
      rivalOf(bare(first), [bare(word)]) !== undefined,
  );
}

const isSmall = /^(?:in|on|at|to|with|from|for|under|by|as|before|after|the|an?|every|each|auf|mit|en|à)$/i;

/** Puts a correction in place of the words that it corrects. */
export function replaceEnd(before: string, correction: string): string {
  return insert(before, correction).replaceAll(/(?:\[…\] )+(?=\[…\] )/g, "");
}

function insert(before: string, correction: string): string {
  const [value] = clausesOf(correction.replace(/^make (?:that|it) /i, ""));
  const fragment = splitWords(value);
  const [first = ""] = fragment;
  const said = splitWords(before);
  const rival = rivalIn(said, fragment);
  if (rival > 0 && bare(said[rival - 1] ?? "") === bare(first))
    return `${said.slice(0, rival - 1).join(" ")} ${elision} ${correction}`;
  if (rival !== -1)
    return [...said.slice(0, rival), elision, dropTrailing(correction, ".!"), ...said.slice(rival + 1)].join(
      " ",
    );
  const from = Math.max(0, said.length - 9);
  const same = said.findLastIndex((word, index) => index >= from && bare(word) === bare(first));
  if (same > 0) return `${said.slice(0, same).join(" ")} ${elision} ${correction}`;
  const kind = fragment.findIndex(isValue);
  const old = kind === -1 ? -1 : said.findLastIndex((word, index) => index >= from && isValue(word));
  if (old !== -1 && fragment.length <= 2) {
    // The words after a corrected value still hold: "keep 5 backups, no, 7", unless they are said again: "no, 7 backups".
    const after = said.slice(old + 1);
    const again = fragment.slice(kind + 1);
    const isSaidAgain = again.every((word, index) => bare(word) === bare(after[index] ?? ""));
    const rest = isSaidAgain ? after.slice(again.length) : after;
    return [...said.slice(0, old), elision, dropTrailing(correction, ".!"), ...rest].join(" ");
  }
  const cut = old === -1 ? Math.max(1, said.length - Math.min(fragment.length, 3)) : old;
  return `${said.slice(0, cut).join(" ")} ${elision} ${correction}`;
}

/** The last word that a correction names another thing for: yarn, if it says pnpm; -1 for none. */
function rivalIn(said: readonly string[], fragment: readonly string[]): number {
  const words = said.map(bare);
  const rivals = fragment.flatMap((word) => rivalOf(bare(word), words) ?? []);
  return words.findLastIndex((word) => rivals.includes(word));
}

/** The text of a sentence that corrects an earlier one, without the words that announce it; undefined if it does not. */
export function openingOf(sentence: string): Opening | undefined {
  if (!mayCorrect(sentence)) return undefined;
  if (revocation.test(sentence.trim()))
    return { rest: "", isRevocation: true, hasValue: false, isRemark: false, isCertain: true };
  const [, first] = closingCorrection.exec(sentence) ?? [];
  if (first !== undefined && isValue(first.split(" ")[0] ?? ""))
    return { rest: first, isRevocation: false, hasValue: true, isRemark: false, isCertain: true };
  const match = openingCorrection.exec(sentence);
  if (!match)
    return matchesAny(complaints, sentence)
      ? { rest: "", isRevocation: false, hasValue: false, isRemark: false, isCertain: true }
      : undefined;
  const after = sentence.slice(match[0].length).trim().replace(openingApology, "");
  const hasValue = announcesValue.test(match[0]) || /^make (?:that|it)\b/i.test(after);
  // "Rather use const" is a sentence of its own, "Sorry, const" is not.
  const isApart = hasValue || /[,:.!—–]\s*$/.test(match[0]);
  const isRemark =
    (remark.test(after) || socialRemark.test(after)) &&
    (clausesOf(after).length === 1 || /\bi mean it\b/i.test(sentence)) &&
    !explaining.test(after) &&
    (sociable.test(match[0]) || !certain.test(match[0]));
  const isCertain = !isRemark && (certain.test(match[0]) || explaining.test(after));
  return {
    rest: isApart ? after : "",
    isRevocation: false,
    hasValue,
    isRemark,
    isCertain,
  };
}

/** "I mean it", "oops, I have to go". */
const sociable = /(?<!\bno,? )\b(?:i mean|oops|sorry)\W*$/i;

/** "Wait, that was the old one." */
const explaining =
  /^(?:that|this|those|these)(?:'?s| is| was| were| can't| isn't| wasn't)\b|\b(?:mistaken|misremembered|mixed (?:it|that|them) up|(?:i have|i've|i) (?:just |now )(?:looked|checked|read|opened|asked|seen|remembered))\b/i;

const certain = new RegExp(
  `^${openingHesitation}(?:(?:actually,? )?(${certainTurns})|(?=make (?:that|it)\\b)|no(?=[,:.!—–]))`,
  "i",
);

/** Words that tell why what was just said is wrong: without a new form after them they correct nothing. */
const regret =
  /\b(?:sorry|apologies|oh dear|shoot|silly me|non,? non|my (?:mistake|bad|memory)|mistaken|misinformed|misled|misread|misremembered|mixed up|confused|correct (?:myself|this|that)|i was (?:reading|thinking|looking|quoting)|i(?:'m| am) (?:telling|giving|quoting)|(?:last|previous|old|former) (?:\w+ )?(?:way|client|project|guideline|version|rule|style|habit)|last year's|(?:guideline|version|rule|style) of last year|i(?:'ve| have)? (?:just|now) (?:looked|checked|consulted|read|opened|remembered|seen|noticed|asked|printed)|i forgot|(?:changed|migrated|swapped|replaced|dropped|binned|scrapped) (?:this|that|it))\b/i;

/** Whether a sentence regrets what was just said. */
export function regrets(sentence: string): boolean {
  return regret.test(sentence);
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
  /** Whether it can hardly mean anything else. */
  isCertain: boolean;
}

/** The rules that a sentence takes back by naming what they are about: "scrap the rule about tabs". */
export function takenBackBy<Rule extends Stated>(sentence: string, rules: readonly Rule[]): Rule[] {
  if (!mayTakeBack.test(sentence) || !takenBack.test(sentence)) return [];
  const { words, values } = contentOf(sentence.replace(takenBackWords, ""));
  const shared = ({ about }: Rule) =>
    words.intersection(about.words).size + values.intersection(about.values).size;
  const most = Math.max(1, ...rules.map(shared));
  return rules.filter((rule) => shared(rule) === most);
}

const takenBackWords =
  /\b(?:scrap|drop|cancel|lift|forget|ignore|disregard|ditch|restriction|requirement|ban|said|applies)\b/gi;
