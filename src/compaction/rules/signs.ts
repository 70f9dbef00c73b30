import { type Content, contentOf } from "./content.ts";
import { hasRivals } from "./rivals.ts";

/** What the words of a sentence say about rules that were stated before it. */
export interface Signs {
  isQuestion: boolean;
  denies: boolean;
  forbids: boolean;
  permits: boolean;
  /** It adds something to what was said. */
  adds: boolean;
  isForOnce: boolean;
  /** It says that something is to be another way from now on. */
  isForGood: boolean;
  /** It demands the user's leave for something. */
  needsLeave: boolean;
  /** It has words for something that was named before. */
  points: boolean;
  /** It tells what happened, which demands nothing. */
  isNews: boolean;
  /** It begins with a case to which it applies: "In email templates …". */
  hasCase: boolean;
  /** What it sets something against: "… instead of left and right". */
  contrasted: readonly Content[];
  /** Its words for things of which a project uses one. */
  oneOfKind: readonly string[];
}

/** Reads a sentence in plain form. */
export function signsIn(plain: string, tokens: readonly string[]): Signs {
  return {
    isQuestion: plain.endsWith("?"),
    denies: /\b(?:never|not|don't|no)\b/.test(plain),
    forbids: forbidding.test(plain),
    permits: permitting.test(plain),
    adds: adding.test(plain),
    isForOnce: forOnce.test(plain),
    isForGood: forGood.test(plain),
    needsLeave: needingLeave.test(plain),
    points: pointing.test(plain),
    isNews: news.test(plain),
    hasCase: ownCase.test(plain),
    contrasted: contrastedIn(plain),
    oneOfKind: tokens.filter(hasRivals),
  };
}

const forbidding =
  /\b(?:never|no|not|don't|nothing|nobody|without|only|must|forbidden|banned|stop|avoid|off|before|always|ask|frozen)\b/;

const permitting =
  /\b(?:(?:you|we) (?:can|may)|can be|(?:is|are|it's|that's) (?:now |totally |perfectly |all )?(?:fine|ok|okay|allowed|permitted)|free to|go ahead|no need to|don't have to|needn't|whenever you|welcome to|lifted|(?:is|are) over|allowed (?:now|again)|permitted)\b/;

const adding =
  /\b(?:also|too(?= ?[.!]*$)|either|as well|another|one more|in addition|oh and|and also|same for|likewise)\b/;

const forOnce = /\b(?:this one|for this|this time|just for|only for|once|today only|the one|in this)\b/;

const forGood =
  /\b(?:from (?:today|now|tomorrow|here|next|this)|instead|no longer|any ?more|gone|renamed|moved|switch(?:ed|ing)?|changed|change of plans?|changes to|after all|second thoughts?|forget|skip the|new|replaced?|retired|dropped|back to|(?:is|are) over|lifted|relax(?:ed)?|upgraded|left|bumped?|raised?|lower(?:ed)?|no need|don't have to|needn't|whenever|decided|voted|(?:is|are) now|now is|without asking|rule)\b/;

const needingLeave =
  /\bwithout (?:asking|my|me|a review|approval)|\bask (?:me|first|before)|\b(?:until|unless) i\b/;

const pointing = /\b(?:it|it's|them|they|those|these|that one|this one)\b/;

const news =
  /\b(?:fail(?:s|ed|ing)?|crash(?:es|ed)?|broke|broken|grew|shrank|dropped to|takes? (?:forever|ages|long)|(?:is|are|was|were) (?:off|down|slow|red|green|flaky|stuck|missing)|works? (?:with|on|but)|worked|approved it|again|for some reason|no idea why)\b/;

const ownCase =
  /^(?:(?:and|but|also|only|just|except|even) )?(?!(?:on (?:reflection|second|balance)|in (?:fact|short|general|future|the end|that case)|for (?:now|good|the (?:record|sake))|at (?:last|the end)|if (?:you|there|it))\b)(?:in|on|for|at|under|within|inside|during|when|while|if|today's)\b/;

const contrast = /\b(?:instead of|rather than) ((?:[\w/.@-]{1,40} ?){1,3})/;

function contrastedIn(plain: string): Content[] {
  const [, other = ""] = contrast.exec(plain) ?? [];
  return other
    .split(/[ /]/)
    .filter((word) => word !== "")
    .map(contentOf);
}
