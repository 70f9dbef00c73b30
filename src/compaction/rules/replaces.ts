import { bare, isNumber, numbersDiffer, type Stated } from "./content.ts";
import { weights } from "./replacing-weights.ts";
import type { Sentence } from "./sentence.ts";

/** When a sentence was said: in the message that states the rule, in the user's next one, or later. */
export type When = "in the same message" | "in the next message" | "later";

/** Whether a sentence replaces an earlier rule: it gives the rule another value, changes it or lifts it. */
export function replacesRule(now: Sentence, before: Sentence, when: When): boolean {
  return replacing(now, before, when) >= least;
}

/** The log odds that a sentence replaces an earlier rule. */
function replacing(now: Sentence, before: Sentence, when: When): number {
  if (!mayReplace(now, before, when)) return Number.NEGATIVE_INFINITY;
  const features = compare(now, before, when);
  return features.reduce((sum, value, index) => sum + value * (weights[index] ?? 0), 0);
}

/** What can be told without weights. */
function mayReplace(now: Sentence, before: Sentence, when: When): boolean {
  const isCorrection = now.opening !== undefined;
  if (!areRelated(now, before) && (when === "later" || !isCorrection)) return false;
  if (isCorrection) return !isException(now, before);
  const isForGood = forGood.test(now.plain);
  // "Push to main now" is leave for once, and "the tests are green again" is about something else.
  if (!isForGood && (!now.mayBeRule || needsLeave.test(before.plain))) return false;
  if (!saysSo(now.plain) && !(now.mayBeRule && hasOtherValue(now, before))) return false;
  if (now.isRule && sharedWords(now, before) < 2 && isOnlyAnnounced(now.plain)) return false;
  return !isException(now, before);
}

/** Whether a sentence says no more about a change than that it holds from now on, as new rules do. */
function isOnlyAnnounced(said: string): boolean {
  const rest = said.replaceAll(announcing, "");
  return rest !== said && !saysSo(rest);
}

const announcing = /\bfrom (?:now|today|here|this \w+)(?: on)?\b/g;

function sharedWords(a: Stated, b: Stated): number {
  return a.about.words.intersection(b.about.words).size;
}

/** The rule that a sentence replaces: the likeliest, and of those the last; undefined if it replaces none. */
export function findReplaced<Rule extends Sentence>(
  now: Sentence,
  rules: readonly Rule[],
  when: (rule: Rule) => When,
): Rule | undefined {
  let found: Rule | undefined;
  let most = least;
  for (const rule of rules) {
    const odds = replacing(now, rule, when(rule));
    if (odds < most) continue;
    most = odds;
    found = rule;
  }
  return found;
}

/** Whether two sentences share a word, or each has a value that is like one of the other. */
export function areRelated(a: Stated, b: Stated): boolean {
  return !a.about.words.isDisjointFrom(b.about.words) || hasLikeValue(a, b);
}

/** Whether a sentence permits something for one thing that the rule does not name, such as a file. */
function isException(now: Sentence, before: Sentence): boolean {
  const own = [...now.about.values.difference(before.about.values)];
  return (
    own.some((value) => !isNumber(value)) && before.about.values.size === 0 && permitting.test(now.plain)
  );
}

/** Log odds from which a rule counts as replaced. Below 0, because most pairs about other things are out before. */
const least = -0.8;

/** Whether a sentence says in some way that something is no longer as it was. */
function saysSo(said: string): boolean {
  return changing.test(said) || permitting.test(said) || takingBack.test(said);
}

/**
 * Whether two rules differ in one value, so that both cannot hold. Prohibitions hold side by side, "never push to main"
 * and "never push to production", unless it is a number that differs.
 */
export function hasOtherValue(now: Sentence, before: Sentence): boolean {
  const [words, others] = [now.tokens, before.tokens];
  if (numbersDiffer(now.about.values, before.about.values))
    return inOrder(words, others).length >= Math.min(words.length, others.length) / 2;
  if (words.some((word) => negations.has(bare(word)))) return false;
  return differsOnce(words, others);
}

const negations = new Set(
  "never not don't no nothing without forbidden prohibited banned avoid stop off nie niemals kein keine jamais pas nunca".split(
    " ",
  ),
);

const maxOther = 3;

/** Whether two sentences differ in one place, where both have a few words of their own; either may have more around it. */
function differsOnce(a: readonly string[], b: readonly string[]): boolean {
  const common = inOrder(a, b);
  const [rest, others] = [[...a], [...b]];
  const places = [...common, undefined].map((word) => {
    const [own, other] =
      word === undefined ? [rest.length, others.length] : [rest.indexOf(word), others.indexOf(word)];
    rest.splice(0, own + 1);
    others.splice(0, other + 1);
    return { own, other };
  });
  const [first, ...more] = places.filter(({ own, other }) => own > 0 && other > 0);
  if (!first || more.length > 0) return false;
  return first.own <= maxOther && first.other <= maxOther && common.length >= Math.max(2, first.own);
}

/** What a sentence is compared by with an earlier rule, in the order of the weights. */
export const comparedBy: readonly string[] = [
  "bias",
  "shares a word",
  "shares two words",
  "share of the words of the shorter one",
  "share of the words of the rule",
  "shares nothing",
  "shares a word that few sentences have",
  "shares two words in a row",
  "says that something changes",
  "says so, and shares a word",
  "begins as a correction, right after the rule",
  "is a rule, as log odds",
  "is a rule that is said in nearly the same words",
  "has other numbers",
  "has a value like one of the rule",
  "permits what the rule is about",
  "takes something back",
  "is for this once",
  "asks",
  "is in the same message",
  "is in the next message",
];

const changing =
  /(?<!^)\bnow\b(?=[,.;:!]|$| (?:on|is|are|uses?|only|that|instead|since|because|so|for|in|at|to|but|and|it|they|please)\b)|\b(?:from (?:today|now|tomorrow|here|next|this)|instead|no longer|any ?more(?=[,.;:!]|$)|gone|renamed|moved|switch(?:ed|ing)?|(?:has|have|was|were|been|that|it|i|we) changed|changed my mind|change of plans?|change:|changes to|after all|on second thoughts?|correction|scratch|(?<!don't |not )forget (?:the|that|about|what)|skip the|make (?:it|that)|new (?:rule|limit|port|branch|plan|policy|value)|replaced?|retired|dropped|back to|(?:is|are) over|wrong|mistake|lifted|relax(?:ed)?|upgraded|has left|left the|actually|or rather|bumped?|raised?|lower(?:ed)?|nicht mehr|statt(?:dessen)?|korrektur|ab (?:jetzt|sofort)|désormais|finalement|au lieu|en lugar|ya no|a partir de)\b|改为|改成|不再|现在|更正/;

/** Words that say that something is to be another way from now on, not for once. */
const forGood =
  /\b(?:from (?:today|now|tomorrow|here|next|this)|instead|no longer|any ?more|gone|renamed|moved|switch(?:ed|ing)?|changed|change of plans?|changes to|after all|second thoughts?|forget|skip the|new|replaced?|retired|dropped|back to|(?:is|are) over|lifted|relax(?:ed)?|upgraded|left|bumped?|raised?|lower(?:ed)?|no need|don't have to|needn't|whenever|decided|voted|(?:is|are) now|now is|without asking|rule)\b/;

/** A rule that demands the user's leave. */
const needsLeave =
  /\bwithout (?:asking|my|me|a review|approval)|\bask (?:me|first|before)|\b(?:until|unless) i\b/;

const permitting =
  /\b(?:(?:you|we) (?:can|may)|can be|(?:is|are|it's|that's) (?:now |totally |perfectly |all )?(?:fine|ok|okay|allowed)|free to|go ahead|no need to|don't have to|needn't|whenever you|welcome to)\b/;

const forbidding =
  /\b(?:never|no|not|don't|nothing|without|only|must|forbidden|stop|avoid|off|before|always|ask)\b/;

const takingBack = /\b(?:again|after all|take that back|kidding|typo|edit:|voted|decided|enough)\b/;

const forOnce = /\b(?:this one|for this|this time|just for|only for|once|today only|the one|in this)\b/;

/** What every other sentence is about, in the form that `contentOf` gives it: sharing it says little. */
const frequent = new Set(
  "test file add code commit it's error two fil write second work show fail user last page branch that' time call same start anyth look fix ask function check version list see build old read server column api script three number stay line table nam customer migration data doesn't comment gets open per wrong import through folder name log request miss pr docs back tell leave return push release main change thank else config green everyth someth need pass done production".split(
    " ",
  ),
);

/** The features of a sentence and an earlier rule. */
export function compare(now: Sentence, before: Sentence, when: When): number[] {
  const [said, rule] = [now.plain, before.plain];
  const shared = sharedWords(now, before);
  const isRare = [...now.about.words].some((word) => before.about.words.has(word) && !frequent.has(word));
  const shorter = Math.max(1, Math.min(now.about.words.size, before.about.words.size));
  const isLike = hasLikeValue(now, before);
  const likelihood = Math.max(0.02, Math.min(0.98, now.likelihood));
  const changes = changing.test(said);
  const [words, ruleWords] = [now.tokens, before.tokens];
  const alike = inOrder(words, ruleWords).length / Math.max(3, Math.min(words.length, ruleWords.length));
  const isOneOf = (value: boolean) => (value ? 1 : 0);
  return [
    1,
    isOneOf(shared >= 1),
    isOneOf(shared >= 2),
    shared / shorter,
    shared / Math.max(1, before.about.words.size),
    isOneOf(shared === 0 && !isLike),
    isOneOf(isRare),
    isOneOf(sharesPair(words, ruleWords)),
    isOneOf(changes),
    isOneOf(changes && shared > 0),
    isOneOf(when !== "later" && now.opening !== undefined),
    Math.log(likelihood / (1 - likelihood)) / 2,
    likelihood > 0.5 ? alike : 0,
    isOneOf(numbersDiffer(now.about.values, before.about.values)),
    isOneOf(isLike),
    isOneOf(shared > 0 && permitting.test(said) && forbidding.test(rule)),
    isOneOf(takingBack.test(said)),
    isOneOf(forOnce.test(said)),
    isOneOf(/\?\s*$/.test(said)),
    isOneOf(when === "in the same message"),
    isOneOf(when === "in the next message"),
  ];
}

/** Whether two words, none of them short, follow each other in both. */
function sharesPair(a: readonly string[], b: readonly string[]): boolean {
  const pairs = new Set(b.slice(1).map((word, index) => `${b[index]} ${word}`));
  return a.slice(1).some((word, index) => {
    const first = a[index] ?? "";
    return word.length > 3 && first.length > 3 && pairs.has(`${first} ${word}`);
  });
}

/** The most words that both have in the same order. */
function inOrder(a: readonly string[], b: readonly string[]): string[] {
  const lengths = a
    .map(() => new Array<number>(b.length + 1).fill(0))
    .concat([new Array<number>(b.length + 1).fill(0)]);
  const at = (row: number, column: number) => lengths[row]?.[column] ?? 0;
  for (let row = a.length - 1; row >= 0; row--)
    for (let column = b.length - 1; column >= 0; column--) {
      const line = lengths[row] ?? [];
      line[column] =
        a[row] === b[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  const found: string[] = [];
  for (let row = 0, column = 0; row < a.length && column < b.length; ) {
    const word = a[row] ?? "";
    if (word === b[column]) {
      found.push(word);
      row++;
      column++;
    } else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return found;
}

/** Whether both have a value of their own, and the two are alike: db-1 and db-2, /v1 and /v2, 0.0.0.0 and 127.0.0.1. */
function hasLikeValue({ about: now }: Stated, { about: before }: Stated): boolean {
  const others = [...before.values.difference(now.values)];
  return [...now.values.difference(before.values)].some((value) =>
    others.some((other) => areAlike(value, other)),
  );
}

const address = /^\d+(?:\.\d+){3}/;

function areAlike(a: string, b: string): boolean {
  if (address.test(a) && address.test(b)) return true;
  if (isNumber(a) || isNumber(b)) return false;
  const [parts, others] = [partsOf(a), partsOf(b)];
  const same = parts.filter((part) => part.length > 1 && others.includes(part)).length;
  if (same > 0 && same >= Math.min(parts.length, others.length) / 2) return true;
  return a.startsWith("/") && b.startsWith("/") && parts.length === 1 && others.length === 1;
}

function partsOf(value: string): string[] {
  return value.split(/[=:/@_-]+|(?<=[a-z])(?=\d)/).filter((part) => part !== "");
}
