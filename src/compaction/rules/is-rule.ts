import { CueIndex } from "./cue-index.ts";
import { strong, weak } from "./cues.ts";
import { strongHabits, weakHabits } from "./habits.ts";
import { isPointOfRules } from "./headings.ts";
import { otherLanguages } from "./other-languages.ts";
import { Sentence } from "./sentence.ts";
import { corrected } from "./spelling.ts";

/** Words that bind a demand to the work at hand. */
const momentary =
  /\b(?:yet|for now|right now|for the moment|at the moment|this time|just this once|this once|today|tonight|for this (?:one|task|pr|change|commit|file|step|test)|in this (?:pr|commit|step|case|change|function|file|test)|until (?:it|this|that) (?:works|compiles|passes)|for a (?:moment|second|minute|sec)|right away|immediately|asap|just yet|(?:in|on) line \d+|properly|correctly)\b|\bfor (?:this|that)(?: one)?(?=[,.!]| please|$)|\b(?:there|here), /;

/** Even "never" is momentary with these. */
const onlyNow = /\b(?:for now|just this once|this time only|only this time|for the moment)\b/;

const opinion =
  /^(?:\S+ )?(?:i (?:think|guess|believe|suppose|feel|wonder|assume|thought)|maybe|perhaps|probably|not sure|looks like|it (?:looks|seems|appears)|seems|apparently|hm+)\b/;

const question =
  /^(?:\S+ )?(?:how|why|what|when|where|who|which|whose|is|are|was|were|do|does|did|can|could|should|would|will|shall|may|might|has|have|had|am|isn't|aren't|don't|doesn't|shouldn't|wouldn't|couldn't|any|so|then)\b/;
const tag =
  /,? (?:ok|okay|right|please|yes|alright|got it|understood|deal|clear|can you do that|will you|would you)\?+$/;
const politeRequest =
  /^(?:\S+ )?(?:can|could|would|will) (?:you|we) (?:please )?(?:always|never|not|stop|only|avoid|refrain|ask|from now|make sure (?:that )?(?:you|we|to) (?:always|never)|mind (?:not|never|always|only))\b|^(?:could|may|can|might) i ask (?:you to|that you)\b/;
const imperativeClause =
  /[,;:—–]\s*(?:and |but |also |please |oh |btw |by the way,? )*(?:never|always|don't|do not|only|from now on|remember)\b/;

const imperative = /(?:never|always|don't|do not)\b/y;

/** What someone or something else says. */
const reported =
  /\b(?:eslint|tsc|biome|ruff|pylint|clippy|mypy|prettier|docs?|documentation|readme|manual|spec|error|warning|message|log|linter|compiler|article|page|comment|review(?:er)?|boss|colleague|rfc|github|tutorial|blog|answer|it|he|she|they|someone|(?:claude|agents)\.md|people|everyone|stack ?overflow|policy|license)\b[^,;.]{0,40}\b(?:says?|said|writes?|wrote|states?|claims?|reads?|warns?|warned|tells?|told|complains?|mentions?|suggests?|recommends?|insists?)\b|^according to\b|^(?:eslint|tsc|biome|ruff|pylint|clippy|mypy|prettier|lint)\b[^:]{0,20}:/;

/** A fault that the user reports. */
const problem =
  /\b(?:crash(?:es|ed)?|is broken|doesn't work|does not work|fails?|failing(?! tests?\b)|i get (?:an? )?\w+|the bug|is slow|but (?:it |that )?(?:returns?|does|doesn't|is|isn't|fails|gets|shows|prints)|, fix|please fix|, how do)\b|, fix\b|, how do\b/;

const story =
  /\bfrom now on (?:it|this|that|the \w+) \w+s\b|\b(?:add|change|remove|delete|edit|update|disable|enable|create|write) (?:an? |the |another |this |that |new )*(?:\w+ )?rules?\b|^(?:why (?:do|are) |and |but )?you (?:always|never)\b|\b(?:permission|access) denied\b|^(?:\S+ ){0,2}(?:i(?! never (?:ever )?want)|it|this|that|he|she|they|there) (?:(?:was|were|had|have|has|has been|is|just|still|already|also|really)\s+)?(?:never|always)\b|\b(?:i've|i have|we've|it's|he's|she's|that's|they've) (?:never|always)\b|\b(?:as|like|almost|nearly|not|isn't|aren't) always\b|\b(?:that|this|it) (?:should|must|can|could|will) never (?:happen|occur|be)\b|\bnever ?mind\b/;

/** What is to be written or built has a rule in it. */
const artefact =
  /^(?:please |now |then |can you |could you )*(?:add|write|create|implement|document|explain|describe|build|generate|translate)\b[^,;]*\b(?:that|which|why|whether|saying|policy|rule)\b/;

/** A demand that is done once it is done. */
const task =
  /, (?:please )?(?:add|fix|change|update|remove|do) (?:them|it|that|those|the \w+)\b|^(?:please )?(?:don't|do not) (?:\w+ ){1,2}(?:the|an?) [\w -]{2,30}, (?:fix|put|do|write|make|just|only|use|rather|instead)\b/;

const strongCues = new CueIndex([...strong, ...strongHabits]);
const weakCues = new CueIndex([...weak, ...weakHabits]);

/** Whether the user states something that is to hold for good. */
export function isRule(said: string): boolean {
  const sentence = new Sentence(plain(said));
  const { text } = sentence;
  if (text.length < 6) return false;
  if (isForeignRule(sentence)) return !isOnlyNow(sentence);
  if (isPointOfRules(text)) return !isOnlyNow(sentence) && !isQuestion(text);
  const words = text.split(" ").length;
  const isStrong = words >= 3 && strongCues.matches(sentence);
  const isLong = words >= 4 || (words >= 2 && sentence.hasOneOf(short));
  if (!isStrong && !(isLong && weakCues.matches(sentence))) return false;
  if (isOnlyNow(sentence) || isQuestion(text) || reported.test(text) || story.test(text)) return false;
  if (problem.test(text) && !isImperative(sentence) && !imperativeClause.test(text)) return false;
  if (artefact.test(text) && !imperativeClause.test(text)) return false;
  return isStrong || !(momentary.test(text) || opinion.test(text) || task.test(text));
}

/** Words that a rule of two or three words has. */
const short = ["only", "no", "stop", "keep", "before", "first", "don't", "cut"];

function isOnlyNow({ text }: Sentence): boolean {
  return onlyNow.test(text);
}

function isImperative({ text, openings }: Sentence): boolean {
  return openings.some((place) => {
    imperative.lastIndex = place;
    return imperative.test(text);
  });
}

/** Lower case, one kind of apostrophe, and nothing that is quoted: what is in quotes is someone else's words or code. */
export function plain(sentence: string): string {
  const text = sentence
    .toLowerCase()
    .replaceAll(/[’ʼ`´](?=(?:t|s|re|d|ll|ve|m)\b)/g, "'")
    .replaceAll(/`[^`]{0,200}`/g, "xx")
    .replaceAll(/"[^"]{12,400}"|“[^”]{12,400}”|«[^»]{12,400}»|„[^“”]{12,400}[“”]/g, "x")
    .replaceAll(/\*{1,3}|__/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return corrected(text);
}

function isQuestion(text: string): boolean {
  if (
    /^(?:(?:and|but|so|ok|hm+),? )?(?:how|why|what|who|where|when) (?:do|does|did|can|could|should|would|is|are|was|were|about|if|to)\b/.test(
      text,
    )
  )
    return !imperativeClause.test(text);
  if (!text.endsWith("?") || tag.test(text)) return false;
  return question.test(text)
    ? !politeRequest.test(text) && !imperativeClause.test(text)
    : !imperativeClause.test(text);
}

/** The words of all other languages, and their scripts. */
const foreignWords = new Set(otherLanguages.flatMap(({ words }) => words));
const foreignScript = /[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/;

function isForeignRule(sentence: Sentence): boolean {
  const { text } = sentence;
  if (sentence.words.isDisjointFrom(foreignWords) && !foreignScript.test(text)) return false;
  return otherLanguages.some(
    ({ words, script, says, unless }) =>
      (sentence.hasOneOf(words) || (script?.test(text) ?? false)) &&
      says.test(text) &&
      !(unless?.test(text) ?? false) &&
      !/[?？]\s*$/.test(text),
  );
}
