import { bare, isNumber, isValue, type Stated } from "./content.ts";
import { frequencyOf } from "./frequent-words.ts";
import { hasLikeValue, numbersDiffer, setsBesideValue } from "./like-values.ts";
import { contrastsOtherThing, hasOtherSubject, hasOwnCase } from "./other-subject.ts";
import { weights } from "./replacing-weights.ts";
import { rivalOf } from "./rivals.ts";
import type { Sentence } from "./sentence.ts";
import { differsOnce, inOrder, sharesPair } from "./word-order.ts";

/** The message in which a sentence is said. */
export interface Around {
  /** Whether it is the first one after the message that states the rule. */
  isNext: boolean;
  /** The other sentences of the message. */
  others: readonly Sentence[];
}

/** Whether a sentence replaces an earlier rule: it gives the rule another value, changes it or lifts it. */
export function replacesRule(now: Sentence, before: Sentence, around: Around): boolean {
  return replacing(now, before, around) >= leastOf(now, before);
}

/** The log odds that a sentence replaces an earlier rule. */
function replacing(now: Sentence, before: Sentence, around: Around): number {
  if (!mayReplace(now, before, around)) return Number.NEGATIVE_INFINITY;
  const features = compare(now, before, around);
  const odds = features.reduce((sum, value, index) => sum + value * (weights[index] ?? 0), 0);
  return isPlainChange(now, before) ? Math.max(odds, plainChange) : odds;
}

/** "Let's switch to pnpm" where the rule names npm; "five is not enough, make it ten". */
function isPlainChange(now: Sentence, before: Sentence): boolean {
  if (numbersDiffer(now, before) && repeatsHalf(now, before)) return !isApart(now, before);
  const isOther = namesRival(now, before) || setsBesideValue(now, before);
  const isChange = now.changes >= 0 || (now.opening !== undefined && !now.opening.isRemark);
  return isOther && isChange && !isApart(now, before);
}

const plainChange = 1;

/** Whether a sentence says at least half of the rule again, in the same order. */
function repeatsHalf({ tokens: now }: Sentence, { tokens: before }: Sentence): boolean {
  const same = inOrder(now, before).length;
  return same >= 6 && same >= before.length / 2;
}

/** Whether a sentence adds something, asks, or is about one case or this once. */
function isApart(now: Sentence, before: Sentence): boolean {
  const { adds, isForOnce, isQuestion } = now.signs;
  return adds || isForOnce || isQuestion || hasOwnCase(now, before);
}

/** Log odds from which a rule counts as replaced: by another rule, number or change sooner than by anything else. */
const least = { rule: -0.75, other: 0.7 };

function leastOf(now: Sentence, before: Sentence): number {
  const isLimit = now.likelihood >= leastDemand && numbersDiffer(now, before);
  return now.likelihood >= likely || isLimit || now.changes >= 0 ? least.rule : least.other;
}

/** A number in a sentence that is less likely a rule is news: "coverage is at 76 % now". */
const leastDemand = 0.06;

/** From here on a sentence can replace a rule without saying that something changes. */
export const likely = 0.15;

/** The rules that a sentence may replace, the likeliest first; of equally likely ones, the last. */
export function findReplaced<Rule extends Sentence>(
  now: Sentence,
  rules: readonly Rule[],
  around: (rule: Rule) => Around,
): Rule[] {
  return rules
    .map((rule) => ({ rule, odds: replacing(now, rule, around(rule)) }))
    .filter(({ rule, odds }) => odds >= leastOf(now, rule))
    .reverse()
    .sort((a, b) => b.odds - a.odds)
    .map(({ rule }) => rule);
}

/** Whether two sentences share a word, or each has a value that is like one of the other. */
export function areRelated(a: Stated, b: Stated): boolean {
  return !a.about.words.isDisjointFrom(b.about.words) || hasLikeValue(a, b);
}

/** What can be decided without weights. */
export function mayReplace(now: Sentence, before: Sentence, around: Around): boolean {
  if (isLeaveForOnce(now, before) || isException(now, before)) return false;
  const isOther = namesRival(now, before) || hasOtherNumber(now, before);
  if (now.opening === undefined && !isOther && isBeside(now, before)) return false;
  const isAbout = isOther || areRelated(now, before) || sharesValue(now, before);
  if (!isAbout && !continues(now, before, around)) return false;
  if (isOther || now.opening !== undefined) return true;
  const isChange = [now, ...around.others].some(({ changes }) => changes > leastSign);
  return isChange || (now.likelihood >= likely && (cannotBothHold(now, before) || saysAnew(now, before)));
}

/** Whether a sentence is about a case or a choice that the rule does not name, or tells what happened: the rule holds. */
function isBeside(now: Sentence, before: Sentence): boolean {
  const isNews = now.likelihood < likely && now.signs.isNews;
  return contrastsOtherThing(now, before) || (now.changes < 0 && (isNews || hasOwnCase(now, before)));
}

/** Whether a number differs beside the same word: "Go 1.22" after "Go 1.21". */
function hasOtherNumber(now: Sentence, before: Sentence): boolean {
  return numbersDiffer(now, before) && sharesSlot(now, before, isNumber, true);
}

/** Whether a sentence says a rule with a few other words: double quotes for single ones. */
function saysAnew(now: Sentence, before: Sentence): boolean {
  if (now.signs.denies && before.signs.denies) return false;
  const shorter = Math.min(now.tokens.length, before.tokens.length);
  return shorter >= 3 && inOrder(now.tokens, before.tokens).length >= shorter * 0.6;
}

/** Log odds of a change from which a sentence, or one beside it, can be said to announce one. */
const leastSign = -4;
const plainSign = -1;

/** Whether each has a value of its own. Prohibitions hold side by side, unless it is a number that differs. */
function cannotBothHold(now: Sentence, before: Sentence): boolean {
  const [fresh, old] = [ownValues(now, before), ownValues(before, now)];
  if (numbersDiffer(now, before)) return true;
  if (now.signs.denies && before.signs.denies) return false;
  return (fresh.length > 0 && old.length > 0) || namesRival(now, before);
}

/** The values of a sentence that another does not have. */
function ownValues({ about: now }: Stated, { about: other }: Stated): string[] {
  return [...now.values.difference(other.values)];
}

/** Whether a sentence permits something for one thing that the rule does not name, such as a file. */
function isException(now: Sentence, before: Sentence): boolean {
  const isOther = ownValues(now, before).some((value) => !isNumber(value));
  return isOther && before.about.values.size === 0 && now.signs.permits;
}

/** Whether a sentence changes, or points at, what the rest of its message and the rule are about. */
function continues(now: Sentence, before: Sentence, { isNext, others }: Around): boolean {
  if (isNext && now.opening !== undefined) return true;
  const isHint = now.signs.points || now.opening !== undefined || now.changes >= plainSign;
  return isHint && others.some(({ about }) => !about.words.isDisjointFrom(before.about.words));
}

function sharesValue({ about: now }: Stated, { about: before }: Stated): boolean {
  return !now.values.isDisjointFrom(before.values);
}

export function namesRival(now: Sentence, before: Sentence): boolean {
  return now.signs.oneOfKind.some(
    (word) => !before.tokens.includes(word) && rivalOf(word, before.tokens) !== undefined,
  );
}

/** "Push to main now" where the rule demands to ask first: that is the leave it asks for. */
function isLeaveForOnce(now: Sentence, before: Sentence): boolean {
  return before.signs.needsLeave && now.likelihood < 0.5 && !now.signs.isForGood;
}

/** What a sentence is compared by with an earlier rule, in the order of the weights. */
export const comparedBy: readonly string[] = [
  "bias",
  "says that something changes, as log odds",
  "another sentence of the message says so",
  "share of what the rule is about",
  "share of what the sentence is about",
  "how much they share",
  "share of the rule in other sentences of the message",
  "shares nothing",
  "shares nothing, nor do the other sentences",
  "has a value like one of the rule",
  "has other numbers",
  "has other values",
  "is a rule that is said in nearly the same words",
  "permits what the rule is about",
  "lets do for once what the rule demands leave for",
  "is for this once",
  "adds something",
  "asks",
  "is in the next message",
  "is in the next message, and begins as a correction",
  "is a rule, as log odds",
  "says that something changes, by the share of the rule",
  "shares two words in a row",
  "forbids, as the rule does",
  "shares a value",
  "names what takes the place of something in the rule",
  "points at what other sentences of the message and the rule are about",
  "has other values, by what the message and the rule share",
  "has another number beside the same word",
  "has another value after the same word",
  "has a value of the rule beside another of its kind",
  "has another subject",
  "begins with a case of its own",
  "tells what happened",
];

/** Log odds of a change below and above which it makes no difference. */
const [leastChange, mostChange] = [-3, 4];

/** The features of a sentence and an earlier rule. */
export function compare(now: Sentence, before: Sentence, { isNext, others }: Around): number[] {
  const [said, rule] = [now.signs, before.signs];
  const words = [...now.about.words].filter((word) => before.about.words.has(word));
  const values = [...now.about.values].filter((value) => before.about.values.has(value));
  const shared = weigh(words) + valueWeight * values.length;
  const nearby = new Set(others.flatMap(({ about }) => [...about.words]));
  const around = weigh([...before.about.words].filter((word) => nearby.has(word) && !words.includes(word)));
  const [fresh, old] = [ownValues(now, before), ownValues(before, now)];
  const isLike = hasLikeValue(now, before);
  const changes = clampChange(now.changes);
  const ofRule = shared / weightOf(before);
  const shorter = Math.max(4, Math.min(now.tokens.length, before.tokens.length));
  const isOneOf = (value: boolean) => (value ? 1 : 0);
  return [
    1,
    changes,
    clampChange(Math.max(leastChange, ...others.map((other) => other.changes))),
    ofRule,
    shared / weightOf(now),
    Math.min(4, shared / valueWeight),
    around / weightOf(before),
    isOneOf(shared === 0 && !isLike),
    isOneOf(shared + around === 0 && !isLike),
    isOneOf(isLike),
    isOneOf(numbersDiffer(now, before)),
    isOneOf(fresh.length > 0 && old.length > 0),
    now.likelihood > 0.5 ? inOrder(now.tokens, before.tokens).length / shorter : 0,
    isOneOf(shared > 0 && said.permits && rule.forbids),
    isOneOf(rule.needsLeave && changes < 1),
    isOneOf(said.isForOnce),
    isOneOf(said.adds),
    isOneOf(said.isQuestion),
    isOneOf(isNext),
    isOneOf(isNext && now.opening !== undefined),
    logOdds(now.likelihood) / 2,
    (changes - leastChange) * ofRule,
    isOneOf(sharesPair(now.tokens, before.tokens)),
    isOneOf(said.denies && rule.denies && !numbersDiffer(now, before)),
    isOneOf(values.length > 0),
    isOneOf(namesRival(now, before)),
    isOneOf(around > 0 && said.points),
    fresh.length > 0 && old.length > 0 ? (shared + around) / weightOf(before) : 0,
    isOneOf(hasOtherNumber(now, before)),
    isOneOf(sharesSlot(now, before, (value) => isValue(value) && !isNumber(value), false)),
    isOneOf(setsBesideValue(now, before)),
    isOneOf(hasOtherSubject(now, before)),
    isOneOf(hasOwnCase(now, before)),
    isOneOf(said.isNews),
  ];
}

/** Whether two sentences have different values of a kind beside the same word: "port 3000" and "port 4000". */
function sharesSlot(
  now: Sentence,
  before: Sentence,
  isKind: (word: string) => boolean,
  isEither: boolean,
): boolean {
  const slots = (sentence: Sentence, other: Sentence) =>
    new Set(
      sentence.tokens.flatMap((word, index, words) => {
        if (!isKind(word) || other.tokens.includes(word)) return [];
        const [left, right] = [words[index - 1], words[index + 1]];
        const near = isEither ? [left && `${left} #`, right && `# ${right}`] : [left && `${left} #`];
        return near.filter((slot) => slot !== undefined && slot !== "" && !emptySlots.has(slot));
      }),
    );
  return !slots(now, before).isDisjointFrom(slots(before, now));
}

/** Places where numbers of all kinds occur. */
const emptySlots = new Set([
  "the #",
  "a #",
  "and #",
  "# and",
  "is #",
  "to #",
  "# or",
  "# in",
  "# for",
  "of #",
  "# on",
  "are #",
  "than #",
  "use #",
]);

function logOdds(likelihood: number): number {
  const bounded = Math.max(0.02, Math.min(0.98, likelihood));
  return Math.log(bounded / (1 - bounded));
}

function clampChange(odds: number): number {
  return Math.max(leastChange, Math.min(mostChange, odds));
}

/** A value says most about what a sentence is about, a word that many sentences have the least. */
const valueWeight = 3;

function weigh(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + valueWeight - frequencyOf(word), 0);
}

function weightOf({ about }: Stated): number {
  return Math.max(valueWeight, weigh([...about.words]) + valueWeight * about.values.size);
}

/**
 * Whether two rules differ in one value, so that both cannot hold. Prohibitions hold side by side, "never push to main"
 * and "never push to production", unless it is a number that differs.
 */
export function hasOtherValue(now: Sentence, before: Sentence): boolean {
  const [words, others] = [now.tokens, before.tokens];
  if (numbersDiffer(now, before))
    return inOrder(words, others).length >= Math.min(words.length, others.length) / 2;
  if (words.some((word) => negations.has(bare(word)))) return false;
  return differsOnce(words, others);
}

const negations = new Set(
  "never not don't no nothing without forbidden prohibited banned avoid stop off nie niemals kein keine jamais pas nunca".split(
    " ",
  ),
);
