import { oneLine } from "../../engine/text.ts";
import { isNumber } from "./content.ts";
import {
  clausesOf,
  isFragment,
  isLeftOpen,
  type Opening,
  regrets,
  replaceEnd,
  settleInline,
  takenBackBy,
} from "./corrections.ts";
import { areRelated, findReplaced, likely, namesRival } from "./replaces.ts";
import { type Sentence, sentenceOf } from "./sentence.ts";

/** A sentence that states a rule, or may state one. */
export interface Candidate extends Sentence {
  /** Without spaces, case and full stop in which the same rule may differ. */
  key: string;
  /** The id of a rule that was found earlier. */
  id?: string;
  /** The message that states it. */
  message: number;
  /** Whether it is taken for a rule; if not, it may be one. */
  isFound: boolean;
  /**
   * The user began to correct it in the message that states it: what is said next about it replaces it, and if that was
   * not certain, only another rule does.
   */
  doubt?: "certain" | "perhaps";
  /** The sentence of the message that it comes from (default: its text). */
  said?: string;
}

/** Longer texts are cut, with an ellipsis. */
export const maxRule = 500;

export function candidate(text: string, more: Pick<Candidate, "message" | "isFound">): Candidate {
  const rule = oneLine(text, maxRule);
  return { ...sentenceOf(rule), key: keyOf(rule), ...more };
}

/** A message of the user, as one of its sentences sees it. */
export interface Place {
  number: number;
  /** The message that the user wrote before it. */
  before: number;
  /** The sentence before this one in the message. */
  previous: Sentence | undefined;
  /** The sentences beside this one. */
  others: readonly Sentence[];
}

/** The rules after one more sentence of the user. */
export function readSentence(rules: Candidate[], said: Sentence, place: Place): Candidate[] {
  const { opening, text } = said;
  const { number: message, before, previous } = place;
  const stated = rules.filter((rule) => rule.message === message);
  const last =
    stated.findLast(({ doubt }) => doubt) ??
    stated.findLast((rule) => isSaidBy(rule, previous)) ??
    rules.at(-1);
  // What follows another sentence corrects that one.
  const isJustSaid = last?.message === message && (last.doubt !== undefined || isSaidBy(last, previous));
  if (opening?.isRevocation) return isJustSaid && last ? without(rules, [last]) : rules;
  const takenBack = takenBackBy(text, rules);
  if (takenBack.length > 0) return without(rules, takenBack);
  const settled = settleInline(text);
  const now = settled === text ? said : sentenceOf(settled);
  const isSure = now.isRule || said.isRule;
  const isFromBefore = previous === undefined && last?.message === before;
  if (opening && last && !isSure && correctsValue(last, opening, isJustSaid, isFromBefore)) {
    const corrected = replaceEnd(withoutStop(last.text), opening.rest);
    const rule = candidate(corrected, { message, isFound: last.isFound });
    return [...without(rules, [last]), { ...rule, said: text, doubt: "perhaps" }];
  }
  // Who corrects a value in the middle of a sentence cares for it.
  const isCorrected = now !== said;
  const isOne = now.isKept || said.isKept || isCorrected || isBesideRule(now, place);
  if (!isOne && (noCorrection.test(text) || rules.length === 0)) return rules;
  const key = keyOf(settled);
  const again = rules.find((rule) => rule.key === key);
  const others = again ? without(rules, [again]) : rules;
  const turn = isJustSaid && last ? turnFrom(last, said) : undefined;
  // What it corrects is in the sentence itself.
  const replaced = isCorrected && !turn ? [] : replacedBy(now, others, place, turn);
  const kept = turn && replaced.length === 0 ? doubtRule(others, turn) : without(others, replaced);
  // Said again, it is said now.
  if (again) return [...kept, { ...again, message }];
  if (!isOne && replaced.length === 0) return kept;
  // The new form of a rule is one.
  const isFound = isSure || ((isLikely(now) || !turn) && replaced.some((rule) => rule.isFound));
  const likelihood = Math.max(now.likelihood, ...replaced.map((rule) => rule.likelihood));
  const rule = { ...now, likelihood, key, message, isFound, said: text };
  return [...kept, isLeftOpen(text, settled) ? { ...rule, doubt: "certain" } : rule];
}

function isSaidBy({ text, said = text }: Candidate, sentence: Sentence | undefined): boolean {
  return said === sentence?.text;
}

function without(rules: readonly Candidate[], gone: readonly Candidate[]): Candidate[] {
  return rules.filter((rule) => !gone.includes(rule));
}

/** In a message that may state a rule, a sentence this likely may belong to it: "Go 1.22 is the floor." */
const leastBeside = 0.02;

const longestBeside = 200;

function isBesideRule({ text, likelihood }: Sentence, { others }: Place): boolean {
  const isLike = text.length <= longestBeside && likelihood >= leastBeside;
  return isLike && others.some(({ mayBeRule }) => mayBeRule);
}

/** A sentence begins as a correction, right after a rule. */
interface Turn extends Opening {
  rule: Candidate;
}

/** A sentence that regrets what was just said, however it begins. */
const regret: Opening = {
  rest: "",
  isRevocation: false,
  hasValue: false,
  isRemark: false,
  isCertain: false,
};

function turnFrom(rule: Candidate, { opening, text }: Sentence): Turn | undefined {
  if (opening && !opening.isRemark) return { rule, ...opening };
  return regrets(text) ? { rule, ...regret } : undefined;
}

function doubtRule(rules: readonly Candidate[], { rule, isCertain }: Turn): Candidate[] {
  return rules.map((other) =>
    other === rule ? { ...rule, doubt: isCertain ? "certain" : "perhaps" } : other,
  );
}

/** What is less likely a rule is hardly ever corrected in a later message, and comparing it takes time. */
const leastCompared = 0.03;

/** The rules that a sentence replaces: one of its own message only if that was taken in doubt. */
function replacedBy(now: Sentence, rules: readonly Candidate[], place: Place, turn?: Turn): Candidate[] {
  if (turn && (isLikely(now) || turn.isCertain) && isSaidInstead(now, turn.rule)) return [turn.rule];
  const { number: message, before, others } = place;
  const same = rules.findLast((rule) => rule.message === message && isReplacedInMessage(rule, now));
  if (same) return [same];
  const earlier = rules.filter(
    (rule) => rule.message !== message && (rule.isFound || rule.likelihood >= leastCompared),
  );
  const found = findReplaced(now, earlier, (rule) => ({ isNext: rule.message === before, others }));
  const [likeliest] = found;
  return found.filter(
    (rule) => rule === likeliest || (rule.id === undefined && rule.message === likeliest?.message),
  );
}

function isReplacedInMessage(rule: Candidate, now: Sentence): boolean {
  if (rule.doubt === "certain") return isAbout(now, rule) || now.signs.points;
  return rule.doubt === "perhaps" && isLikely(now) && isAbout(now, rule) && !adds.test(now.plain);
}

function isLikely({ likelihood, isRule }: Sentence): boolean {
  return isRule || likelihood >= likely;
}

const adds = /\b(?:also|either|as well|oh and)\b|\btoo[.,!]*$/;

/** "Sorry, always use pnpm" replaces what was just said about it; "sorry, also run the linter" is one more rule. */
function isSaidInstead(now: Sentence, before: Sentence): boolean {
  return (
    !adds.test(now.plain) &&
    (isAbout(now, before) || now.signs.points || pointsBack.test(now.opening?.rest ?? ""))
  );
}

/** "No, that eats the disk." */
const pointsBack = /^(?:that|this)\b/i;

function isAbout(now: Sentence, before: Sentence): boolean {
  return areRelated(now, before) || namesRival(now, before) || bothNumber(now, before);
}

function bothNumber({ about: now }: Sentence, { about: before }: Sentence): boolean {
  return [...now.values].some(isNumber) && [...before.values].some(isNumber);
}

/** "Sorry, I meant 9090": the value of the rule that was just stated, or stated in the message before. */
function correctsValue(
  { text }: Candidate,
  { rest, hasValue }: { rest: string; hasValue: boolean },
  isJustSaid: boolean,
  isFromBefore: boolean,
): boolean {
  // The reason may follow: "Sorry, 3.11, the cluster was upgraded."
  const [value] = clausesOf(rest);
  const length = value === "" ? 0 : value.split(/\s+/).length;
  if (isJustSaid) return length > 0 && length <= 8 && isFragment(text, value, hasValue, false);
  return isFromBefore && hasValue && value === rest && length <= 3 && isFragment(text, rest, false);
}

/** A question, or a permission for once, leaves rules as they are. */
const noCorrection =
  /^(?!.*\b(?:instead|from now on)\b).*\?\s*$|\b(?:(?:just )?this once|this time|for now|for this (?:one|task|pr|change|commit|file|step|test))\b/i;

function withoutStop(text: string): string {
  return text.replace(/(?<![\s.!。！])[\s.!。！]+$/, "");
}

/** The user may repeat a sentence with other spaces or another full stop. */
export function keyOf(text: string): string {
  return withoutStop(oneLine(text)).toLowerCase();
}
