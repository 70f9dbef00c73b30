import { otherLanguages } from "./other-languages.ts";

/** Words that may come before the rule itself. */
const openers =
  "(?:(?:(?:please|pls|also|and|but|oh|ah|hey|btw|by the way|ok|okay|so|just|then|now|yes|no|great|thanks|thank you|one more thing|another thing|one thing|important|note|fyi|ps|p\\.s\\.|again|still|plus|additionally|furthermore|as i said|like i said|remember|rule|in general|generally|for the record|to be clear|while (?:we're|you're|we are|you are) at it|before i forget|side note|reminder|attention|warning|caution)(?:[,:.!—–-]*| [—–-]+)|as for \\S+(?: [—–-]+)?)\\s+){0,8}";

/** Where an imperative may begin. */
const clause = `(?:(?:^|[,;:(—–]\\s*|\\s-+\\s+)${openers}|\\b(?:and|but|so|please|pls|also|then|or|to|that|you|we|must|should|shall|may|will|ought to|have to|can you|could you|would you|just)\\s+)`;

/** A verb in its base form: not `works`, not `been`. */
const base =
  "(?![a-z]+(?:[^s]s|ed)\\b(?<!\\b(?:embed|feed|need|seed|exceed|proceed|shed|alias|bias|focus|canvas)))[a-z][a-z'-]+";

const notAction =
  "(?!(?:mind|been|seen|heard|had|got|gotten|worked|once|again|was|were|did|happen|happened|really|quite|knew|thought|tried|wanted|listen|understand|learn|a|an|the|know|sure)\\b)";

/** What programs do and do not do: a fault that the user describes. */
const faults =
  "(?:fail|crash|hang|break|return|show|happen|seem|appear|look|end|get|become|hit|lag|freeze|die|work|finish|arrive|complete|load|fire|resolve|reach|respond|start|stop|terminate|expire|update|match|trigger|connect|time|throw|error|flicker|run out|come back)\\b";

/** What the work of an agent is made of; a bare plural of these with "must" is a convention. */
const subjects =
  "(?:commits?|commit messages?|messages|branch(?:es)?|branch names|prs?|pull requests|merge requests|mrs|reviews|releases|tags|versions|deploys|deployments|migrations|dependencies|packages|imports|tests|test files|fixtures|mocks|comments|docs|doc ?strings|functions|methods|components|classes|types|names|variables|constants|identifiers|files|file names|paths|scripts|configs?|secrets|credentials|passwords|keys|api keys|tokens|logs|log lines|log messages|timestamps|dates|times|amounts|prices|currencies|ids|urls|endpoints|routes|queries|responses|requests|errors|error messages|exceptions|strings|texts|translations|answers|replies|reports|summaries|changes|edits|patches|backups|jobs|schemas|tables|columns|headers|lines|pages|screenshots|images|changelog entries|licen[cs]es|feature flags|test data|customer data|personal data|user data|money|environment variables|env vars)";

/** One of them, or all code. */
const subject = `(?:code|sql|markup|documentation|query|${subjects}|commit|message|pr|pull request|merge request|release|tag|version|deploy|deployment|migration|dependency|package|import|test|bug ?fix|bug|feature|comment|function|method|component|class|type|name|variable|file|script|secret|endpoint|route|request|response|error|string|answer|reply|report|summary|change|edit|push|merge|task|step|schema|table|column|page|backup|job|changelog entry)`;

/** What happens again and again. */
const event =
  "(?:commit|change|edit|deploy|deployment|release|push|merge|pr|pull request|merge request|bug ?fix|bug|feature|task|answer|reply|response|step|migration|refactoring|session|turn|upgrade|new [\\w-]+)";

const asking =
  "(?:asking|checking|telling|consulting|informing|notifying|talking|confirming|my|our|a review|review|approval|permission|confirmation|consent|sign-?off|explicit|prior|running it by|the ok|an ok|the go)";

/** Tells whether a sentence states a rule in one way. */
type Cue = Pick<RegExp, "test">;

/** Tries the pattern only on sentences with one of the words that it needs: most sentences have none. */
function given(word: RegExp, pattern: RegExp): Cue {
  return { test: (text) => word.test(text) && pattern.test(text) };
}

/** Statements that hold for good wherever they are in a sentence. */
const strong: readonly Cue[] = [
  // never, always
  given(
    /\bnever\b/,
    new RegExp(`${clause}never(?: ever)?,? (?:under \\S+ circumstances,? )?${notAction}${base}`),
  ),
  /\b(?:must|should|shall|may|ought to|(?:you|we) (?:can|will|should|must)|(?:is|are|am) to) never\b(?! (?:happen|occur|been|be (?:possible|the case|reached)))/,
  given(
    /\bnever\b/,
    new RegExp(
      `(?:^${openers}|[,;:(—–]\\s*)(?!it\\b|this\\b|that\\b|there\\b|he\\b|she\\b|i\\b|they\\b|which\\b)(?:[\\w'-]+ ){0,5}[a-z'-]+s never (?!${faults})${notAction}${base}`,
    ),
  ),
  given(
    /\balways\b/,
    new RegExp(`${clause}always,? (?!${faults}(?<=\\b(?:that|you|we|to) always \\w+))${notAction}${base}`),
  ),
  /\b(?:must|should|shall|ought to|(?:is|are) to|has to|have to|needs? to) always\b|\b(?:is|are) always to\b/,
  given(
    /\balways\b/,
    new RegExp(
      `(?:^${openers}|[,;:(—–]\\s*)(?!it\\b|this\\b|that\\b|there\\b|he\\b|she\\b|i\\b|they\\b|which\\b)(?:[\\w'-]+ ){0,5}[a-z'-]+s always (?!${faults})(?:in|with|on|at|via|through|to|from|as|under|by|go|goes|use|start|end|have|need|get|live|stay)\\b`,
    ),
  ),
  /\b(?:do not|don't|not|can't|cannot|mustn't|must not|shouldn't|should not|won't) ever\b/,
  // For good
  /\b(?:from now on|from now onwards?|going forward|moving forward|from here on|from this point on|henceforth|from today on|for the rest of (?:this|the|our)|for all future|in all future|under no circumstances?|under any circumstances|on no account|in no case|at no (?:point|time)(?! (?:was|were|did|had|have|has))|no matter (?:what|how)|without exceptions?|no exceptions|at all times|ever again|once and for all|as a (?:general |hard )?rule|(?:hard|golden|ground|house|standing|general|strict|project|team|new|important|simple|iron|big) rules?\b(?=[^?]{0,20}[:—–,])|rules?:|non-negotiable)/,
  /\bin (?:the )?future,? (?:please |you |we |always |never |do |don't |only |just )?(?:use|ask|make|run|keep|avoid|stick|write|put|check|commit|push|do|don't|never|always|should|must|add|create|name|prefer|tell|call|open|work)\b/,
  /(?:^|[.,;:—–]\s*|\b(?:please|and|but|also|always|just) )(?:remember(?::|,| that)|keep in mind|bear in mind|don't forget that)(?! (?:bug|time|issue|file|thing|one|when|day)\b)/,
  /\b(?:off[- ]limits|hands off|stay (?:away from|out of)|steer clear of|don't you dare|do not you dare)\b/,
  /\b(?:is|are|remains?|stays?) (?:strictly |absolutely |completely )?(?:forbidden|prohibited|not (?:allowed|permitted)(?! to)|banned|mandatory|taboo|a no-?go|not acceptable|unacceptable|out of bounds)\b/,
  /\b(?:do not|don't) you ever\b|\bwhatever (?:you do|happens)\b|\buntil further notice\b|\b(?:unless|until) (?:otherwise|told|stated|i say|noted)\b|^(?:\S+ )?(?:when|if) (?:in doubt|unsure|you(?:'re| are) (?:in doubt|unsure|not sure))\b/,
  /,\s*(?:always|ever|period|full stop|no exceptions?|every time|at all times)[.!]*$|\bno [\w-]+(?: [\w-]+)? ever\b|\bnever to [a-z]/,
  /\b(?:our|my|the|team|project|by) (?:convention|policy|rule)s?(?: is|:|,| that)|^(?:\S+ )?(?:convention|policy)s?:|\brule number \w+\b|\b(?:one|my|only) rule\b(?=[^?]{0,12}[:—–,])|\b(?:keep|make) it a rule\b|\blet's agree\b/,
  /\b(?:you'll|you will|you'd) never (?!guess|believe|find|know|see|get)\w/,
  /\bit(?:'s| is) (?:not|never) (?:ok|okay|acceptable|fine|allowed|cool|good) to\b/,
  /\b(?:nobody|no one|nothing) (?:is allowed|may|can|should|must|gets?|goes)\b(?! (?:wrong|see|help|be (?:found|seen)))/,
  /\byou(?:'re| are) (?:not|never) allowed\b/,
  /(?:^|[,;:(—–]\s*|\b(?:please|and|always|then) )(?:talk to me|come to me|check in with me|ask) (?:first|before) (?:you|every|each|any|touch\w*|chang\w*|add\w*|delet\w*|run\w*|install\w*|push\w*|merg\w*|deploy\w*|\w+ing)\b/,
  /\bonly i (?:am|may|can|do|merge|publish|deploy|push)\b|\bi(?:'m| am) the only one (?:who|allowed|to)\b/,
  // Conditions that only the user can end
  /\b(?:unless|until|before) i (?:explicitly |have |'ve |specifically |personally )?(?:say|tell|ask|approve|confirm|give|sign|allow|okay|ok|said|told|approved|confirmed|given|signed|reviewed|review|had|check|checked|agree|agreed|am back|come back|am done)\b/,
  given(
    /\bwithout\b/,
    new RegExp(
      `\\b(?:never|not|don't|no|nothing|nobody|stop|avoid|anything|ever|mustn't|shouldn't|cannot|can't)\\b[^?]{0,160}\\bwithout (?:\\w+ )?${asking}\\b`,
    ),
  ),
  /(?:^|[,;:(—–]\s*|\b(?:please|and|always|then) )(?:always )?(?:ask|check with|consult|ping|tell) me (?:first|before)\b/,
  /\b(?:get|need|want|wait for|requires?|needs) my (?:explicit )?(?:ok|okay|approval|permission|sign-?off|go|confirmation|consent)\b/,
  /\b(?:every|each) (?:single )?time you\b|\b(?:whenever|any ?time) you (?!can\b|could\b|want\b|like\b|are ready\b|have time\b)/,
  // Preferences
  /\bi(?:'d| would)? (?:really |much |strongly )?(?:rather (?:you|we|not|that|have you|keep|avoid|never|use|stick|no\b)|prefer)\b(?! (?:option|the\b|the (?:first|second|third|latter|former|last|other)|number|\d|that one|this one|this|that\b(?! (?:you|we|all|every))|it\b|if|have the))/,
  /\bi (?:never|don't|do not) (?:ever )?want (?:you to|to see (?:any|you)|any|us to|anyone|anything|the agent)\b/,
  given(
    /\b(?:all|every|each|any|no|you to)\b/,
    new RegExp(
      `\\bi(?:'d| would)? (?:want|need|expect|like) (?:you to (?:always|never|only|not|ask)|(?:all|every|each|any|no)(?: new| future| of (?:the|your|our))? (?:[\\w-]+ )?${subject})\\b(?! (?:to )?(?:pass|work|fixed|run|gone|done|green|from|of (?:the last|yesterday))\\b)`,
    ),
  ),
  /\bi (?:don't|do not|really don't) like\b[^?]{1,80}\b(?:so|and|please|never|don't|avoid|stop)\b[^?]{1,20}\b(?:don't|not|avoid|no|never|stop)\b|\bi hate\b[^?]{1,80}\b(?:don't|never|avoid|stop|no more)\b/,
  /\bi (?:insist|expect (?:you|all|every|each|that (?:all|every|you)))\b/,
  // What we do here
  /\bwe (?:only|always|never|exclusively|strictly) (?:ever )?(?!got|had|have|need|see|saw|get|ran|did|want|found|know|knew)[a-z]+(?<!ed|[^s]s)\b/,
  /\bwe (?:don't|do not) (?:use|commit|push|deploy|merge|mock|squash|rebase|ship|put|store|allow|log|publish|release|hardcode|hard-code|touch|edit|write)\b(?!.{0,80}\b(?:yet|anymore because|right\?))/,
  /\bwe (?:use|run|write|deploy|target|support|work with|ship) [^,?]{1,60}(?:,| and| —| –) ?(?:not|never|no)\b (?!sure|yet|only)/,
  /\b(?:here|in this (?:repo|repository|project|codebase|team|company|house|workspace|monorepo)),? (?:we|you|always|never|use|don't|do not|only|all|every|no)\b/,
];

/** Words that bind a demand to the work at hand. */
const momentary =
  /\b(?:yet|for now|right now|for the moment|at the moment|this time|just this once|this once|today|tonight|for this (?:one|task|pr|change|commit|file|step|test)|in this (?:pr|commit|step|case|change|function|file|test)|until (?:it|this|that) (?:works|compiles|passes)|for a (?:moment|second|minute|sec)|right away|immediately|asap|just yet)\b/;

/** Even "never" is momentary with these. */
const onlyNow = /\b(?:for now|just this once|this time only|only this time|for the moment)\b/;

const opinion =
  /^(?:\S+ )?(?:i (?:think|guess|believe|suppose|feel|wonder|assume|thought)|maybe|perhaps|probably|not sure|looks like|it (?:looks|seems|appears)|seems|apparently|hm+)\b/;

/** Demands of the work, not of the one who does it. */
const outcomes =
  "(?:pass|work|compile|run|succeed|build|be (?:green|fixed|able|fine|ok|okay|good|enough|there|done|possible|easy|fast|simple|working|passing)|still|look|match|happen|stop|appear|show|render|load)\\b";

const prohibited =
  "(?:touch|push|commit|deploy|merge|publish|release|use|add|install|introduce|delete|remove|drop|hard-?code|log|print|store|save|share|expose|reveal|leak|send|email|post|upload|skip|bypass|disable|ignore|suppress|force|force-push|amend|rebase|squash|upgrade|downgrade|bump|mock|mention|assume|guess|invent|make up|restart|reboot|kill|migrate|truncate|overwrite|break|put|include|create|call|hit|query|connect|access|open|execute|run|start|import|copy|paste|reformat|write|generate|translate|answer|reply|respond|start your|apologi[sz]e|sign|tag|close|assign|approve|reset|checkout|stash|edit|modify|change|alter|rename|move|rewrite|refactor|mess|play|go|let|leave|treat|trust|rely|depend|explain|summari[sz]e|ask|tell|give|make|keep|do)";

/** Demands that hold for good only if nothing binds them to the work at hand. */
const weak: readonly Cue[] = [
  // do not … until, unless, without, before
  given(
    /\b(?:until|unless|without|before)\b/,
    new RegExp(
      `${clause}(?:do not|don't|dont) (?!worry|bother|mind|know|think|forget|care|see|understand|get\\b|need|have|wait)[a-z][^?]{0,200}\\b(?:until|unless|without|before)\\b`,
    ),
  ),
  // A prohibition that is a sentence of its own
  given(
    /n[o']t\b|dont\b/,
    new RegExp(
      `^${openers}(?:(?:do not|don't|dont) (?:you )?(?:just |simply |even |directly |manually )?|(?:you|we) (?:must not|mustn't|may not|shall not|should not|shouldn't|cannot|can't|are not (?:allowed )?to|aren't allowed to) |i don't want you to |i do not want you to )${prohibited}\\b(?! (?:it|this|that|them|these|those|anything|everything|so|the (?:full|whole|entire|rest|other|existing|theme|code))\\b)(?: \\S+){2}`,
    ),
  ),
  // All, every, any, no
  given(
    /\b(?:all|every|each|any)\b/,
    new RegExp(
      `(?:^${openers}|[,;:(—–]\\s*|\\b(?:that|and|but|so) )(?:all|every|each|any)(?: of (?:our|the|your|my))? (?:[\\w'./-]+ ){1,7}(?:must|should|shall|has to|have to|needs? to|(?:is|are) to|goes|go|gets?|uses?|starts? with|requires?)\\b(?! ${outcomes})`,
    ),
  ),
  given(
    /\bno(?:ne)?\b/,
    new RegExp(
      `(?:^${openers}|[,;:(—–]\\s*)(?:no|none of)(?: of (?:our|the|your|my))? (?:[\\w'./-]+ ){1,7}(?:may|must|should|shall|can|is allowed|are allowed|without|unless|before)\\b`,
    ),
  ),
  /^(?:please,? |and |also,? |but |so )?(?:no|zero) (?:new |more |external |direct |force |inline |default |raw |hard-?coded |magic |third-party |extra |global )?(?!problem|worr|thank|error|change|issue|luck|idea|need|result|match|question|other|tests? (?:were|are|failed)|such|way|rush|stress|offen[cs]e|hurry|news|clues|bugs?|difference|one\b)[a-z][\w.-]*(?: [\w.-]+){0,3}?s\b(?: (?:in|to|on|into|inside|outside|anywhere|please|at all|whatsoever|for|from|with|under)\b|[!.]|$)/,
  // Conventions for the agent's own work
  given(
    /\b(?:must|ha(?:ve|s) to|shall|needs? to|are to|should)\b/,
    new RegExp(
      `(?:^${openers}|[,;:(—–]\\s*|\\b(?:that|and|but) )(?:our |your |my |the )?(?:[\\w-]+ ){0,2}${subjects} (?:(?:in|of|for|to|on|under|inside|with) (?:[\\w'./-]+ ){1,5})?(?:must|have to|shall|need to|are to|has to|needs to|should)(?: only| not| all| both| be)* (?!${outcomes})(?!be ${outcomes})\\w`,
    ),
  ),
  /(?:^|[,;:(—–]\s*|\b(?:and|but|that) )(?:the|our|your|my) (?:[\w'./-]+ ){1,6}(?:must|has to|have to|should|shall|needs to) (?:(?:stay|remain)(?! (?:as|the same|there|here|where)\b)|be kept|keep|continue to|not (?:appear|change|be changed|be used|be stored|be touched|be modified|grow|exceed|leave|depend|break|import|contain|drop|go))\b/,
  /\byou (?:must|have to|need to|should|are to|shall|may|can) (?:not|only|ask|first|both)\b(?! (?:need|worry|see|be able|know|find|run the|try))/,
  /\byou (?:must|have to|need to|are required to|should) (?!be able|see|fix|know|find|try|understand)[^?]{1,120}\b(?:before|after|whenever|every|each|any|all|when) (?:you|we|each|every|any|commit\w*|push\w*|merg\w*|deploy\w*|release\w*|edit\w*|chang\w*|finish\w*)\b/,
  given(
    /\b(?:every|each|any)\b/,
    new RegExp(
      `(?:^${openers}|[,;:—–]\\s*)(?:before|after|with|on|for) (?:every|each|any)(?: single)? ${event}\\b`,
    ),
  ),
  given(
    /\b(?:every|each|any)\b/,
    new RegExp(
      `(?:^${openers}|[,;:—–]\\s*|\\b(?:and|then|to) )(?:run|use|write|add|update|create|show|tell|ask|check|commit|keep|bump|build|test|format|document|sign|read|wait|explain|summari[sz]e|link|reference|include|mention)\\b[^,?]{1,80}\\b(?:before|after|with|on|for) (?:every|each|any)(?: single)? ${event}\\b`,
    ),
  ),
  given(
    /\b(?:everywhere|throughout|all)\b/,
    new RegExp(
      `(?:^${openers}|[,;:—–]\\s*)(?:use|write|put|keep|name|store|format) [^,?]{1,60}\\b(?:everywhere|throughout|for all|in all|across all)\\b`,
    ),
  ),
  given(
    /\b(?:needs?|requires?|required)\b/,
    new RegExp(
      `(?:^${openers}|[,;:(—–]\\s*|\\b(?:that|and) )(?:all|every|each|any|new|signed|two|a|an) (?:[\\w-]+ ){0,2}${subject} (?:needs?|requires?|(?:is|are) required)\\b(?! to ${outcomes}| (?:fixing|work|a fix|attention|some)\\b)`,
    ),
  ),
  /\b(?:is|are) required (?:for (?:every|each|all|any)|before|on (?:every|each|all))\b/,
  given(
    /\b(?:treat|yourself|stay|work|remain)\b/,
    new RegExp(
      `^${openers}(?:treat (?:the|all|every|any|our) [^?]{1,60} as|(?:limit|restrict|confine) yourself to|(?:stay|work|remain) (?:inside|within|exclusively|strictly|only))\\b`,
    ),
  ),
  given(
    /\bkeep\b/,
    new RegExp(
      `^${openers}keep (?:all|every|any) |^${openers}keep (?!it |this |that |them )(?:[\\w'-]+ ){1,5}(?:out of|away from|under|below|within|to a minimum|short|small|brief|concise|in english|private|secret)\\b`,
    ),
  ),
  given(
    /\b(?:go|live|belong)\b/,
    new RegExp(`(?:^${openers}|[,;:—–]\\s*)(?:our |your )?${subjects} (?:go|live|belong)\\b`),
  ),
  /\b(?:no more than|at most|max(?:imum)?(?: of)?) \S+ [a-z]+ per [a-z]+/,
  /\bonly (?:after|once|when|if) (?:i|my|you have asked|you've asked|approv\w+|a review|review|the ci|ci|all tests|the tests)\b(?!.{0,40}\?)/,
  /\b(?:on|in) our (?:team|company|project|repo|repository|codebase|shop|house),? we (?!had|were|did|have|talked|discussed|are)/,
  given(
    /\bwe\b/,
    new RegExp(
      `(?:^${openers}|[,;:—–]\\s*)we (?:write|name|format|sign|squash|review|document|prefix|tag) (?:\\S+ ){0,3}${subjects}\\b`,
    ),
  ),
  /^(?:when|if) (?:a|an|any|something|some|you)\b[^,?]{1,70}, (?:then )?(?:please )?(?:always|never|don't|do not|ask|tell me|stop and|fix the|run the tests|update the doc)\b/,
  /\b(?:do not|don't) (?:ever )?(?:use|install|add|introduce|send|import|touch|create|call|include|write|print|leave) any(?:thing (?:outside|other|else than))?\b/,
  given(/\bnothing else\b/, new RegExp(`${clause}use [^,?]{1,40} and nothing else\\b`)),
  given(
    /\bonly\b/,
    new RegExp(
      `^${openers}(?!show|list|print|change|run|do|fix|give|read|check|just|this|that|it|the|view|one|i|we|can|last|first)[\\w.-]+(?: [\\w.-]+){0,3} only(?: in [^?]{1,40}| for [^?]{1,40}|,? please)?[.!]?$`,
    ),
  ),
  /(?:^|[,;:—–]\s*)(?:important|attention|warning|caution)\b ?[:!—–-]+ ?(?:the|our|all|no|do not|don't|you|it is)\b[^?]{1,120}\b(?:must|must not|may not|not|cannot|only|has to)\b/,
  /\b(?:must not|may not|mustn't|must never|should not) be [a-z]+(?:ed|en|t|n)\b[^?]{0,60}\b(?:during|in production|on production|in prod|by hand|manually|without|outside|before|until|unless|directly|at all)\b/,
  // Only
  given(
    /\bonly\b/,
    new RegExp(
      `${clause}only (?:ever )?(?:(?:edit|change|touch|read|run|test|call)\\b(?=.{0,60}\\b(?:files|tests|scripts|code) (?:in|under|inside|below|with))|use|commit|push|deploy|merge|release|publish|install|respond|answer|reply|write|import|work|talk|store|log)\\b (?!the (?:first|second|last|other|new)|this|that|it\\b)(?=.{0,80}\\b(?:in|via|through|with|from|to|on|inside|under|using|for|when|after|if)\\b|\\S+[.!]?$|\\S+ \\S+[.!]?$)`,
    ),
  ),
  given(/\bonly\b/, new RegExp(`${clause}use only (?!the (?:first|second|last|other|new)|this|that|it\\b)`)),
  given(
    /\bonly\b/,
    new RegExp(
      `${clause}(?:use|write|respond|answer|reply|commit|deploy|push|work|test|log|run) (?:\\S+ ){0,5}only\\b(?! (?:the|this|if|once|when i|for this)\\b)`,
    ),
  ),
  // This, not that
  given(
    /, (?:and )?(?:not|never)\b/,
    new RegExp(
      `(?:^${openers}|[,;:—–]\\s*)(?:let's )?(?:use|call|name|deploy to|commit to|push to|target|import from|log to|work on|install with|sign with) (?!it|this|that|these|those|the (?:first|second|other|one|same|new|old))[^,.?]{1,50}, (?:and )?(?:not|never) (?!just|only|yet|sure)\\S`,
    ),
  ),
  given(
    /\b(?:instead of|rather than|over|and not)\b/,
    new RegExp(
      `(?:^${openers}|[,;:—–]\\s*)use [\\w.@/\`'"-]+(?: \\w+)? (?:instead of|rather than|over|and not) [\\w.@/\`'"-]+(?: (?:for|in|when|everywhere|throughout|across|to)\\b.*|[.!]?$)`,
    ),
  ),
  given(
    /\b(?:prefer|stick|keep)\b/,
    new RegExp(
      `^${openers}(?:prefer \\S+ (?:\\S+ ){0,4}(?:over|to|instead of|rather than)|(?:stick|keep) (?:to|with) (?!this|that|it|the (?:plan|first|second|current|same)|option|going)\\S+)`,
    ),
  ),
  given(
    /\bavoid\b/,
    new RegExp(`^${openers}avoid (?:using|adding|any|all|[a-z]+ing|[a-z-]+ [a-z-]+s|[a-z]{4,}s)\\b`),
  ),
  given(
    /\b(?:stop|quit|no more|refrain)\b/,
    new RegExp(
      `(?:^${openers}|\\bplease )(?:(?:stop|quit|no more) (?:adding|using|doing|writing|making|creating|committing|pushing|asking|running|installing|putting|touching|changing|editing|deleting|apologi[sz]ing|summari[sz]ing|explaining|guessing|inventing|mocking|skipping|calling|saying)|refrain from [a-z]+ing)\\b(?!.*\\band (?:check|switch|go|use|take|start|run)\\b)`,
    ),
  ),
  given(
    /\b(?:leave|keep)\b/,
    new RegExp(
      `^${openers}(?:leave|keep) (?!it|this|that|them|me|the rest)(?:the |our |my |all |any )?(?:\\S+ ){1,5}(?:alone|untouched|unchanged|out of (?:git|the repo|version control|commits)|up[- ]to[- ]date|in sync|backwards?[- ]compatible)\\b`,
    ),
  ),
  // Make sure
  /\b(?:make sure|ensure|be sure|see to it|take care)(?: that)?(?: you| we| to)? (?:always|never|only|don't|do not|not to|nobody|no one|nothing|no)\b/,
  given(
    /\b(?:sure|ensure|see to it)\b/,
    new RegExp(
      `\\b(?:make sure|ensure|be sure|see to it)(?: that)? (?:all |every |each |any |our |your )?(?:[\\w-]+ ){0,2}${subject} (?:(?:in|of|for|to) (?:[\\w'./-]+ ){1,4})?(?:are|is|have|has|use|uses|include|contain|start|end|follow|go|goes|stay|stays|get|gets|carry|mention|reference|never|always|do not|don't)\\b(?! ${outcomes}| (?:green|passing|fixed|working|ok|fine)\\b)`,
    ),
  ),
  /\b(?:make sure|ensure|be sure|see to it)(?: that)?(?: you| we| to)? [^?]{1,120}\b(?:before|after|with|on|in|for) (?:every|each|any)\b/,
  /\b(?:make sure|ensure)(?: that)? (?:the|our|your) (?:[\w'./-]+ ){1,6}(?:stays?|remains?|is never|are never|is always|are always|keeps?)\b/,
  /\bit(?:'s| is) (?:very |really |absolutely |extremely )?(?:important|crucial|critical|essential|imperative|vital)(?: to me)?,? that (?!it|this|that|these|those)/,
];

const question =
  /^(?:\S+ )?(?:how|why|what|when|where|who|which|whose|is|are|was|were|do|does|did|can|could|should|would|will|shall|may|might|has|have|had|am|isn't|aren't|don't|doesn't|shouldn't|wouldn't|couldn't|any|so|then)\b/;
const tag =
  /,? (?:ok|okay|right|please|yes|alright|got it|understood|deal|clear|can you do that|will you|would you)\?+$/;
const politeRequest =
  /^(?:\S+ )?(?:can|could|would|will) (?:you|we) (?:please )?(?:always|never|not|stop|only|avoid|refrain|ask|from now|make sure (?:that )?(?:you|we|to) (?:always|never))\b/;
const imperativeClause =
  /[,;:—–]\s*(?:and |but |also |please |oh |btw |by the way,? )*(?:never|always|don't|do not|only|from now on|remember)\b/;

const imperative = new RegExp(`^${openers}(?:never|always|don't|do not)\\b`);

/** What someone or something else says. */
const reported =
  /\b(?:eslint|tsc|biome|ruff|pylint|clippy|mypy|prettier|docs?|documentation|readme|manual|spec|error|warning|message|log|linter|compiler|article|page|comment|review(?:er)?|tutorial|blog|answer|it|he|she|they|someone|(?:claude|agents)\.md|people|everyone|stack ?overflow|policy|license)\b[^,;.]{0,40}\b(?:says?|said|states?|claims?|reads?|warns?|warned|tells?|told|complains?|mentions?|suggests?|recommends?|insists?)\b|^(?:eslint|tsc|biome|ruff|pylint|clippy|mypy|prettier|lint)\b[^:]{0,20}:/;

/** A fault that the user reports. */
const problem =
  /\b(?:crash(?:es|ed)?|is broken|doesn't work|does not work|fails?|failing|i get (?:an? )?\w+|the bug|is slow|but (?:it |that )?(?:returns?|does|doesn't|is|isn't|fails|gets|shows|prints)|, fix|please fix|, how do)\b|, fix\b|, how do\b/;

const story =
  /\bfrom now on (?:it|this|that|the \w+) \w+s\b|\b(?:add|change|remove|delete|edit|update|disable|enable|create|write) (?:an? |the |another |this |that |new )*(?:\w+ )?rules?\b|^(?:why (?:do|are) |and |but )?you (?:always|never)\b|\b(?:permission|access) denied\b|^(?:\S+ ){0,2}(?:i(?! never (?:ever )?want)|it|this|that|he|she|they|there) (?:(?:was|were|had|have|has|has been|is|just|still|already|also|really)\s+)?(?:never|always)\b|\b(?:i've|i have|we've|it's|he's|she's|that's|they've) (?:never|always)\b|\b(?:as|like|almost|nearly|not|isn't|aren't) always\b|\b(?:that|this|it) (?:should|must|can|could|will) never (?:happen|occur|be)\b|\bnever ?mind\b/;

/** Whether the user states something that is to hold for good. */
export function isRule(sentence: string): boolean {
  const text = plain(sentence);
  if (text.length < 6 || onlyNow.test(text)) return false;
  if (isForeignRule(text)) return true;
  const words = text.split(" ").length;
  const isStrong = words >= 3 && strong.some((cue) => cue.test(text));
  const isLong = words >= 4 || (words >= 2 && /\b(?:only|no|stop|keep)\b/.test(text));
  if (!isStrong && !(isLong && weak.some((cue) => cue.test(text)))) return false;
  if (isQuestion(text) || reported.test(text) || story.test(text)) return false;
  if (problem.test(text) && !imperative.test(text) && !imperativeClause.test(text)) return false;
  return isStrong || !(momentary.test(text) || opinion.test(text));
}

/** Lower case, one kind of apostrophe, and nothing that is quoted: what is in quotes is someone else's words or code. */
export function plain(sentence: string): string {
  return sentence
    .toLowerCase()
    .replaceAll(/[’ʼ`´](?=(?:t|s|re|d|ll|ve|m)\b)/g, "'")
    .replaceAll(/`[^`]{0,200}`/g, "x")
    .replaceAll(/"[^"]{12,400}"|“[^”]{12,400}”|«[^»]{12,400}»|„[^“”]{12,400}[“”]/g, "x")
    .replaceAll(/\*{1,3}|__/g, "")
    .replaceAll(/\b(?:dont|do n't)\b/g, "don't")
    .replaceAll(/\s+/g, " ")
    .trim();
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

/** Words of the languages in `otherLanguages`, besides letters that English does not have. */
const foreign =
  /[^\p{ASCII}’‘“”…–—]|\b(?:nie|niemals|immer|stets|nicht|kein\w*|nichts|ab|von|unter|auf|ohne|alle|jede[rs]?|merk|denk|sind|ist|bevor|nur|jamais|toujours|sans|tous|toutes|aucun|tant|uniquement|nunca|siempre|sempre|no|sin|sem|bajo|sob|todos|todas|recuerda|de|en|em|non|mai|per|nigdy|pod|zawsze|od|zabronione)\b/u;

function isForeignRule(text: string): boolean {
  if (!foreign.test(text)) return false;
  if (/[?？]\s*$/.test(text)) return false;
  return otherLanguages.some(({ says, unless }) => says.test(text) && !(unless?.test(text) ?? false));
}
