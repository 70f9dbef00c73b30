import { matchesAny, upTo } from "./pattern.ts";

/** Words with which users say that something is another way now, whatever else they say. */
const announcing = [
  `\\b(?:let's|lets|let us|we|we've|we're|we'll|i|i've|i'm|i'll|they|they've|team|everybody|everyone|folks|have|has|had)\\b${upTo(3, " \\S{1,30}")}? (?:switch(?:ed|ing)?|migrat(?:e|ed|ing)|abandon(?:ed|ing)?|ditch(?:ed|ing)?|retir(?:ed|ing)|replaced|swapped|upgraded|downgraded|bumped|renamed|reverted|settled on|agreed on|agreed|decided (?:on|to|against)|pass(?:es|ed)? to|chang(?:e|ed|ing) (?:it |that |this |the |our |to )|changed|mov(?:e|ed|ing) (?:\\S{1,30} ){0,4}?(?:to|off|over|away|from|back)|reconsidered|rethought|go(?:ing|ne)? (?:back to|over to|with)|went (?:back to|with)|drop(?:ped|ping)?|raised|lowered|relaxed|tightened)\\b`,
  "\\b(?:after all|no longer|any ?more|henceforth|(?:from|as of) (?:here|now|today|tomorrow|next \\w+|this \\w+)(?: on(?:wards?)?)?|changed (?:my|our) minds?|change of (?:plans?|mind)|(?<!\\b(?:don't|not|never|to|you) )(?:scratch|forget|ignore|disregard) (?:what|the)|on second thoughts?|turn(?:s|ed) out|used to be|has been (?:replaced|renamed|moved|changed|retired|upgraded)|back to|(?:retiring|phasing out|phased out|sunsetting|decommissioning|decommissioned|abandoning|ditching) \\S|on reflection|these days|nowadays|got (?:archived|renamed|replaced|retired|merged|moved|deleted|shut)|since (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|yesterday|last|this|today)|as of this)\\b",
  "\\b(?:is|are|'s|got|gets?|was|were) (?:(?:way |a bit |far |much )?too \\w{1,30}|not enough|not good enough)\\b.{0,120}\\b(?:make|use|go|take|so|it's|settled|let's|now|instead|rather|better)\\b",
  "\\b(?:is|are|it's|that's) (?:now|dead|gone|history|obsolete|outdated|deprecated|retired|done for|no more)\\b",
  "\\b(?:make (?:it|that)|it's|it is|it will be|it'll be)\\b.{0,80}\\bnow\\b|\\bnow (?:it's|it is|on)\\b",
].map((pattern) => new RegExp(pattern));

export function announcesChange(plain: string): boolean {
  return matchesAny(announcing, plain);
}

/** The user says that an earlier word no longer holds. */
const declaring =
  /\b(?:changed (?:my|our) minds?|change of (?:plans?|mind)|(?<!\b(?:don't|not|never|to|you) )(?:scratch|forget|ignore|disregard) what i|reconsidered|rethought|(?:i|we) (?:said|told you|asked for|wanted|had)\b.{3,80}\b(?:but|make (?:it|that)|now|instead|actually))\b/;

export function declaresChange(plain: string): boolean {
  return declaring.test(plain);
}
