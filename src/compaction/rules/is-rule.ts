import { featuresOf } from "./features.ts";
import { isPointOfRules } from "./headings.ts";
import { ruleOdds } from "./likelihood.ts";
import { otherLanguages } from "./other-languages.ts";
import { matchesAny, upTo } from "./pattern.ts";
import { plain, wordsOf } from "./plain.ts";

/** A demand for this once, whatever else the sentence says. */
const onlyNow =
  /\b(?:just this once|this time only|only this time|(?:do|change|touch|add) anything else)\b|\b(?:don't|do not)\b.{0,80}\b(?:yet|right now|for now|for the moment)\b/;

const minLength = 6;

const openers = "^(?:(?:please|pls|also|and|but|so|btw|by the way|oh|ok|again),? )*";

/** Words with which users say that something is to hold for good. They say so of products as well. */
const explicit = new RegExp(
  `${openers}(?:don't|dont|do not|stop)\\b|\\b(?:never|always|must|mustn't|shall|from (?:now|here|today) on|as of today|going forward|in (?:the )?future|for the rest of|for good|(?:do not|don't)\\b.{0,200}\\b(?:until|unless|without)|off[- ]limits|forbidden|banned|prohibited|hands off|may not|not (?:ok|okay|acceptable|allowed)|under no circumstances?|on no account|(?:every|each) time|whenever|wherever|everywhere|throughout|avoid|ask (?:me|first|before)|nobody|no one|(?:before|after) (?:you|every|each|any))\\b`,
);

/** "No emojis", which is not "no problem"; "we don't ship on Fridays". */
const denies = new RegExp(
  `\\b(?:don't|do not|not ok)\\b|${openers}no (?!wait|sorry|man\\b|no\\b|problem|idea|longer|that|it\\b|i\\b|we\\b|need|worries|one\\b)[a-z-]`,
);

/** Words of a demand that seldom state one. */
const talks = [
  "\\b(?:for now|for the moment|at the moment|right now|this time|in this (?:pr|commit|step|moment))\\b",
  `^${upTo(3, "\\S+ ")}(?:don't|dont|do not) (?:know|think|see|understand|need|mind|worry|believe|remember|forget|get)\\b`,
  "^(?:do|does|did|is|are|why|how|what|should) .*\\?$",
].map((pattern) => new RegExp(pattern));

/** Few rules are longer: a sentence that is tells of something. */
const longest = 250;

/** From here on a sentence is taken for a rule: the sooner, the more it says so in so many words. */
function leastLikely(text: string): number {
  if (text.length > longest) return 0.97;
  if (matchesAny(talks, text)) return 0.95;
  if (text.endsWith("?")) return 0.85;
  if (explicit.test(text)) return 0.5;
  return denies.test(text) ? 0.8 : 0.92;
}

/** From here on it may be one. */
const possible = { short: 0.3, demand: 0.05, other: 0.12 };

/** From here on it is kept where there is room: one in two hundred of these is a rule, and users type little. */
const kept = { short: 0.1, demand: 0.003, other: 0.005 };

/** Words of most demands, and of much else. */
const demands =
  /\b(?:only|every|each|all|any|no|not|none|has to|have to|needs?|should|stays?|keep|stick|max|min|minimum|maximum|at (?:most|least)|limit|cap|floor|ceiling|above|below|under|until|unless|without|instead|rule|policy|convention|standard|default|in general|please|can't|won't|i want|i'd like|you (?:can|may)|now)\b/;

/** Whether the user states something that is to hold for good. */
export function isRule(said: string): boolean {
  return isRuleGiven(likelihoodOf(said), plain(said));
}

/** The same for a text in plain form whose likelihood is known. */
export function isRuleGiven(likelihood: number, text: string): boolean {
  return likelihood >= leastLikely(text);
}

/** Whether the user may state something that is to hold for good. */
export function mayBeRule(said: string): boolean {
  return mayBeRuleGiven(likelihoodOf(said), plain(said));
}

export function mayBeRuleGiven(likelihood: number, text: string): boolean {
  return isAtLeast(possible, likelihood, text);
}

/** Whether a sentence is kept where there is room, because it may state a rule after all. */
export function isKeptGiven(likelihood: number, text: string): boolean {
  return isAtLeast(kept, likelihood, text);
}

function isAtLeast(least: typeof possible, likelihood: number, text: string): boolean {
  if (isShort.test(text)) return likelihood >= least.short;
  return likelihood >= (explicit.test(text) || demands.test(text) ? least.demand : least.other);
}

/** "Go on." */
const isShort = /^\S+(?:\s+\S+)?$/;

/** How likely the user states something that is to hold for good, in any of the languages, from 0 to 1. */
export function likelihoodOf(said: string): number {
  const text = plain(said);
  return likelihoodGiven(text, featuresOf(text));
}

/** "Never delete …", "you must not …": whatever else it says, that is a demand. */
const commands = new RegExp(
  `${openers}(?:(?:never|always|don't ever|dont ever|do not ever) (?!mind|seen?\\b|heard|had|got\\b|been|was|were|happen|work|knew|know|liked?|saw|a\\b|the\\b)[a-z]+ \\S|(?:you |we )?(?:must (?:never|not|always)|mustn't)|under no circumstances|on no account)(?!.*\\?$)`,
);
const leastCommand = 0.6;

/** What may be a rule by its form alone: "results should always be …", "one heading per page", "icons: take them from …". */
const formal = [
  "\\b(?:should|must|shall|has to|have to|needs? to|is to|are to) (?:always|never|only)\\b",
  "\\b(?:is|are) (?:the )?(?:law|sacred|sacrosanct|non-negotiable|mandatory|compulsory|obligatory|a must|a hard (?:rule|limit|requirement)|a no-go|locked|frozen|read-only|untouchable|final)\\b",
  "^(?:exactly |at most |at least |max(?:imum)? |min(?:imum)? |no more than |not more than |up to )?(?:one|two|three|four|five|\\d+) \\S{1,30}(?: \\S{1,30})? (?:per|for each|for every)\\b",
  "^(?!(?:error|warning|note|hint|todo|fix|bug|edit|update|ps|question|q|goal|task|expected|actual)\\b)[a-z][a-z ]{1,24}: (?:use|pull|put|keep|take|store|write|go|name|prefix|import|wrap|run|only|always|never|no|via|stick)\\b",
  "^(?:i want|i wanna|i'd like|i would like|i need|i expect|i prefer)\\b.{0,200}\\b(?:each|every|all|always|any)\\b",
  "^(?:please |and |also )?[a-z-]+ (?:\\S{1,30} ){0,6}(?:after|before|with|on|of|in|for|to|from) (?:each|every)\\b",
  "\\b(?:every|each) (?:\\S{1,30} ){1,3}(?:with|has|have|gets?|needs?|must|goes)\\b",
  "^(?!(?:error|warning|note|hint|todo|fix|bug|edit|update|ps|question|q|goal|task|expected|actual|output|result|context|btw|fyi|step|example|e\\.g)\\b)[a-z][a-z-]*(?: [a-z-]+){0,2}: [\\w#\"']",
  "^(?:if|when|whenever|before|after|once|should) .{4,120}, (?:please |just )?(?:take|use|prefer|pick|choose|ask|tell|stop|don't|run|put|go with|keep|write|add|make|let|show|send|leave|drop|skip)\\b",
  "\\b(?:keep|leave|stays?|remains?) (?:it )?(?:so|that way|like that|this way)\\b",
  "\\b(?:are|is|use|uses|have|has|go|goes) .{2,60} in this (?:project|repo|repository|codebase|team|library|company)\\b",
  "^(?!(?:the|this|that|it|he|she|they|we|you|i|my|there|some|if|when|what|how|why|can|does|do|is|are)\\b)[a-z][\\w-]*(?: [\\w-]+){0,2} (?:go|goes|lives?|belongs?|gets?|stays?|becomes?|follows?|pivots?|ends?|starts?) (?:by|in|into|to|under|with|at|on|through|one|an?|the)\\b",
].map((pattern) => new RegExp(pattern));
const leastFormal = 0.2;

/** "Java 17." */
const version =
  /^(?!(?:option|step|line|page|issue|pr|number|no|chapter|part|phase|task|item|choice|day|week|test|version)\b)[a-z][a-z+#.]{1,14} v?\d+(?:\.\d+)*(?: only| or newer| or later| and (?:up|above))?[.!]?$/;
const leastVersion = 0.3;

/** A demand that is put as a question: "could you always …?" */
const politely =
  /^(?:(?:ok|and|so|also|btw|please|pls),? )*(?:can|could|would|will) (?:you|u|we)(?: please| pls| mind| kindly| do me a \w+ and)? (?=.*\b(?:always|never|from (?:now|here|today) on|going forward|every time|each time|whenever|in future)\b)(.*?)\?*$/;

/** The same for a text in plain form whose features are known. */
export function likelihoodGiven(text: string, features: readonly string[]): number {
  if (text.length < minLength || onlyNow.test(text) || repeats(text)) return 0;
  if (isForeignRule(text) || isPointOfRules(text)) return 1;
  const [, demand] = politely.exec(text) ?? [];
  const odds = ruleOdds(features);
  const most = demand === undefined ? odds : Math.max(odds, ruleOdds(featuresOf(demand)));
  if (version.test(text)) return Math.max(1 / (1 + Math.exp(-most)), leastVersion);
  const least = commands.test(text)
    ? leastCommand
    : matchesAny(formal, text) && !text.endsWith("?")
      ? leastFormal
      : 0;
  return Math.max(1 / (1 + Math.exp(-most)), least);
}

/** Whether a text is few words said over and over. */
function repeats(text: string): boolean {
  if (text.length < minRepeated) return false;
  const words = text.split(" ");
  return words.length > 3 * new Set(words).size;
}

const minRepeated = 60;

/** The words of all other languages, and their scripts. */
const foreignWords = new Set(otherLanguages.flatMap(({ words }) => words));
const foreignScript = /[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/;

/** Whether a text in plain form states a rule in one of the other languages. */
export function isForeignRule(text: string): boolean {
  const said = wordsOf(text);
  if (said.isDisjointFrom(foreignWords) && !foreignScript.test(text)) return false;
  return otherLanguages.some(
    ({ words, script, says, unless }) =>
      (words.some((word) => said.has(word)) || (script?.test(text) ?? false)) &&
      says.test(text) &&
      !(unless?.test(text) ?? false) &&
      !/[?？]\s*$/.test(text),
  );
}
