import { anywhere, atOpening, base, type Cue, inClause, inPart, withSubject } from "./cue.ts";
import { anyWord, subject, subjects } from "./subjects.ts";

const notAction =
  "(?!(?:mind|been|seen|heard|had|got|gotten|worked|once|again|was|were|did|happen|happened|really|quite|knew|thought|tried|wanted|listen|understand|learn|see|saw|notice|have (?:\\w+ed|done|gone|been|seen|known)|a|an|the|know|sure)\\b)";

/** What programs do and do not do: a fault that the user describes. */
const faults =
  "(?:fail|crash|hang|break|return|show|happen|seem|appear|look|end|get|become|hit|lag|freeze|die|work|finish|arrive|complete|load|fire|resolve|reach|respond|start|stop|terminate|expire|update|match|trigger|connect|time|throw|error|flicker|run out|come back)\\b";

/** What happens again and again. */
const event =
  "(?:(?:code |schema |config )?(?:commit|change|edit)|prompt|deploy|deployment|release|push|merge|pr|pull request|merge request|bug ?fix|bug|feature|task|answer|reply|response|step|migration|refactoring|session|turn|upgrade|new [\\w-]+)";

const asking =
  "(?:asking|checking|telling|consulting|informing|notifying|talking|confirming|my|our|a review|review|approval|permission|confirmation|consent|sign-?off|explicit|prior|running it by|the ok|an ok|the go)";

/** Words that every text for `event` has one of. */
const eventWords =
  "commit change edit prompt deploy deployment release push merge pr request bug bugfix feature task answer reply response step migration refactoring session turn upgrade new";

/** Statements that hold for good wherever they are in a sentence. */
export const strong: readonly Cue[] = [
  // never, always
  inClause("never", `never(?: ever)?,? (?:under \\S+ circumstances,? )?${notAction}${base}`),
  anywhere(
    "never",
    /\b(?:must|should|shall|may|ought to|(?:you|we) (?:can|will|should|must)|(?:is|are|am) to) never\b(?! (?:happen|occur|been|have|be (?:possible|the case|reached)))/,
  ),
  inPart(
    "never",
    `(?!it\\b|this\\b|that\\b|there\\b|he\\b|she\\b|i\\b|they\\b|which\\b)(?:[\\w'-]+ ){0,5}[a-z'-]+s never (?!${faults})${notAction}${base}`,
  ),
  inClause("always", `always,? (?!${faults}(?<=\\b(?:that|you|we|to) always \\w+))${notAction}${base}`),
  anywhere(
    "always",
    /\b(?:must|should|shall|ought to|(?:is|are) to|has to|have to|needs? to) always\b(?! have)|\b(?:is|are) always to\b/,
  ),
  inPart(
    "always",
    `(?!it\\b|this\\b|that\\b|there\\b|he\\b|she\\b|i\\b|they\\b|which\\b)(?:[\\w'-]+ ){0,5}[a-z'-]+s always (?!${faults})(?:in|with|on|at|via|through|to|from|as|under|by|go|goes|use|start|end|have|need|get|live|stay)\\b`,
  ),
  anywhere("ever", /\b(?:do not|don't|not|can't|cannot|mustn't|must not|shouldn't|should not|won't) ever\b/),
  // For good
  anywhere(
    "now forward here point henceforth today rest future circumstance circumstances account case time matter exception exceptions times again once rule rules negotiable",
    /\b(?:from now on|from now onwards?|going forward|moving forward|from here on|from this point on|henceforth|from today on|for the rest of (?:this|the|our)|for all future|in all future|under no circumstances?|under any circumstances|on no account|in no case|at no (?:point|time)(?! (?:was|were|did|had|have|has))|no matter (?:what|how)|without exceptions?|no exceptions|at all times|ever again|once and for all|as a (?:general |hard )?rule|(?:hard|golden|ground|house|standing|general|strict|project|team|new|important|simple|iron|big) rules?\b(?=[^?]{0,20}[:—–,])|rules?:|non[- ]negotiable)/,
  ),
  anywhere(
    "future",
    /\bin (?:the )?future,? (?:please |you |we |always |never |do |don't |only |just )?(?:use|ask|make|run|keep|avoid|stick|write|put|check|commit|push|do|don't|never|always|should|must|add|create|name|prefer|tell|call|open|work)\b/,
  ),
  anywhere(
    "remember mind forget",
    /(?:^|[.,;:—–]\s*|\b(?:please|and|but|also|always|just) )(?:remember(?::|,| that)|don't forget that)(?! (?:bug|time|issue|file|thing|one|when|day)\b)|(?<!\b(?:i|i'll|we|they) )\b(?:keep|bear) (?:this |that )?in mind\b/,
  ),
  anywhere(
    "limits hands stay steer dare",
    /\b(?:off[- ]limits|hands off|stay (?:away from|out of)|steer clear of|don't you dare|do not you dare)\b/,
  ),
  anywhere(
    [
      "forbidden prohibited allowed permitted banned mandatory taboo go nogo acceptable unacceptable bounds",
      "is are remain remains stay stays",
    ],
    /\b(?:is|are|remains?|stays?) (?:strictly |absolutely |completely )?(?:forbidden|prohibited|not (?:allowed|permitted)(?! to)|banned|mandatory|taboo|a no-?go|not acceptable|unacceptable|out of bounds)\b/,
  ),
  anywhere(
    ["ever whatever notice unless until doubt unsure sure", "do don't whatever unless until when if"],
    /\b(?:do not|don't) you ever\b|\bwhatever (?:you do|happens)\b|\buntil further notice\b|\b(?:unless|until) (?:otherwise|told|stated|i say|noted)\b|^(?:\S+ )?(?:when|if) (?:in doubt|unsure|you(?:'re| are) (?:in doubt|unsure|not sure))\b/,
  ),
  anywhere(
    "always ever period stop exception exceptions time times never",
    /,\s*(?:always|ever|period|full stop|no exceptions?|every time|at all times)[.!]*$|\bno [\w-]+(?: [\w-]+)? ever\b|\bnever to [a-z]/,
  ),
  anywhere(
    "convention conventions policy policys rule rules agree",
    /\b(?:our|my|the|team|project|by) (?:convention|policy|rule)s?(?: is|:|,| that)|^(?:\S+ )?(?:convention|policy)s?:|\brule number \w+\b|\b(?:one|my|only) rule\b(?=[^?]{0,12}[:—–,])|\b(?:keep|make) it a rule\b|\blet's agree\b/,
  ),
  anywhere("never", /\b(?:you'll|you will|you'd) never (?!guess|believe|find|know|see|get)\w/),
  anywhere(
    "ok okay acceptable fine allowed cool good",
    /\bit(?:'s| is) (?:not|never) (?:ok|okay|acceptable|fine|allowed|cool|good) to\b/,
  ),
  anywhere(
    "nobody one nothing",
    /\b(?:nobody|no one|nothing(?: (?:in|on|under|below) (?:[\w/.-]+ ){1,3}?[\w/.-]+)?) (?:is allowed|may|can|should|must|gets? (?:released|merged|deployed|pushed|published|to)|goes)\b(?! (?:wrong|see|help|be (?:found|seen)))/,
  ),
  anywhere("allowed", /\byou(?:'re| are) (?:not|never) allowed\b/),
  anywhere(
    "first before",
    /(?:^|[,;:(—–]\s*|\b(?:please|and|always|then) )(?:talk to me|come to me|check in with me|ask) (?:first|before) (?:you|every|each|any|touch\w*|chang\w*|add\w*|delet\w*|run\w*|install\w*|push\w*|merg\w*|deploy\w*|\w+ing)\b/,
  ),
  anywhere(
    "only",
    /\bonly i (?:am|may|can|do|merge|publish|deploy|push)\b|\bi(?:'m| am) the only one (?:who|allowed|to)\b/,
  ),
  // Conditions that only the user can end
  anywhere(
    "unless until before",
    /\b(?:unless|until|before) i (?:explicitly |have |'ve |specifically |personally )?(?:say|tell|ask|approve|confirm|give|sign|allow|okay|ok|said|told|approved|confirmed|given|signed|reviewed|review|had|check|checked|agree|agreed|am back|come back|am done)\b/,
  ),
  anywhere(
    "without",
    new RegExp(
      `\\b(?:never|not|don't|no|nothing|nobody|stop|avoid|anything|ever|mustn't|shouldn't|cannot|can't)\\b[^?]{0,160}\\bwithout (?:\\w+ )?${asking}\\b`,
    ),
  ),
  anywhere(
    "first before",
    /(?:^|[,;:(—–]\s*|\b(?:please|and|always|then) )(?:always )?(?:ask|check with|consult|ping|tell) me (?:first|before)\b/,
  ),
  anywhere(
    "my",
    /\b(?:get|need|want|wait for|requires?|needs) my (?:explicit )?(?:ok|okay|approval|permission|sign-?off|go|confirmation|consent)\b/,
  ),
  anywhere(
    "every each whenever any anytime",
    /\b(?:every|each) (?:single )?time you\b|\b(?:whenever|any ?time) you (?!can\b|could\b|want\b|like\b|are ready\b|have time\b)/,
  ),
  // Preferences
  anywhere(
    "rather prefer",
    /\bi(?:'d| would)? (?:really |much |strongly )?(?:rather (?:you|we|not|that|have you|keep|avoid|never|use|stick|no\b)|prefer)\b(?! (?:option|the\b|the (?:first|second|third|latter|former|last|other)|number|\d|that one|this one|this|that\b(?! (?:you|we|all|every))|it\b|if|have the))/,
  ),
  anywhere(
    "want",
    /\bi (?:never|don't|do not) (?:ever )?want (?:you to|to see (?:any|you)|any|us to|anyone|anything|the agent)\b/,
  ),
  withSubject(
    ["want need expect like", "you all every each any no"],
    `\\bi(?:'d| would)? (?:want|need|expect|like) (?:you to (?:always|never|only|not|ask)|(?:all|every|each|any|no)(?: new| future| of (?:the|your|our))? (?:${anyWord} ){0,2}${subject})(?!\\w)(?! (?:to )?(?:pass|work|fixed|run|gone|done|green|from|of (?:the last|yesterday))\\b)`,
  ),
  anywhere(
    "like hate",
    /\bi (?:don't|do not|really don't) like\b[^?]{1,80}\b(?:so|and|please|never|don't|avoid|stop)\b[^?]{1,20}\b(?:don't|not|avoid|no|never|stop)\b|\bi hate\b[^?]{1,80}\b(?:don't|never|avoid|stop|no more)\b/,
  ),
  anywhere("insist expect", /\bi (?:insist|expect (?:you|all|every|each|that (?:all|every|you)))\b/),
  // What we do here
  anywhere(
    "only always never exclusively strictly",
    /\bwe (?:only|always|never|exclusively|strictly) (?:ever )?(?!got|had|have|need|see|saw|get|ran|run into|did|want|found|know|knew|end up|hit)[a-z]+(?<!ed|[^s]s)\b/,
  ),
  anywhere(
    "we",
    /\bwe (?:don't|do not) (?:use|commit|push|deploy|merge|mock|squash|rebase|ship|put|store|allow|log|publish|release|hardcode|hard-code|touch|edit|write)\b(?!.{0,80}\b(?:yet|anymore because|right\?))/,
  ),
  anywhere(
    "we",
    /\bwe (?:use|run|write|deploy|target|support|work with|ship) [^,?]{1,60}(?:,| and| —| –) ?(?:not|never|no)\b (?!sure|yet|only)/,
  ),
  anywhere(
    "here repo repository project codebase team company house workspace monorepo crate package",
    /\b(?:here,? (?!use)|in this (?:repo|repository|project|codebase|team|company|house|workspace|monorepo|crate|package),? )(?:we|you|always|never|use|don't|do not|only|all|every|no)\b/,
  ),
];

/** Demands of the work, not of the one who does it. */
const outcomes =
  "(?:pass|work|compile|run|succeed|build|be (?:green|fixed|able|fine|ok|okay|good|enough|there|done|possible|easy|fast|simple|working|passing)|still|look|match|happen|stop|appear|show|render|load)\\b";

const prohibited =
  "(?:touch|push|commit|deploy|merge|publish|release|use|add|install|introduce|delete|remove|drop|hard-?code|log|print|store|save|share|expose|reveal|leak|send|email|post|upload|skip|bypass|disable|ignore|suppress|force|force-push|amend|rebase|squash|upgrade|downgrade|bump|mock|mention|assume|guess|invent|make up|restart|reboot|kill|migrate|truncate|overwrite|break|put|include|create|call|hit|query|connect|access|open|execute|run|start|import|copy|paste|reformat|write|generate|translate|answer|reply|respond|start your|apologi[sz]e|sign|tag|close|assign|approve|reset|checkout|stash|edit|modify|change|alter|rename|move|rewrite|refactor|mess|play|go|let|leave|treat|trust|rely|depend|explain|summari[sz]e|ask|tell|give|make|keep|do)";

/** Demands that hold for good only if nothing binds them to the work at hand. */
export const weak: readonly Cue[] = [
  // do not … until, unless, without, before
  inClause(
    "until unless without before",
    `(?:do not|don't|dont) (?!worry|bother|mind|know|think|forget|care|see|understand|get\\b|need|have|wait)[a-z][^?]{0,200}\\b(?:until|unless|without|before)\\b`,
  ),
  // A prohibition that is a sentence of its own
  atOpening(
    ["not don't dont can't cannot mustn't shouldn't aren't", "do don't dont you we"],
    `(?:(?:do not|don't|dont) (?:you )?(?:just |simply |even |directly |manually )?|(?:you|we) (?:must not|mustn't|may not|shall not|should not|shouldn't|cannot|can't|are not (?:allowed )?to|aren't allowed to) |i don't want you to |i do not want you to )${prohibited}\\b(?! (?:it|this|that|them|these|those|anything|everything|so|the (?:full|whole|entire|rest|other|existing|theme|code))\\b)(?: \\S+){2}`,
  ),
  // All, every, any, no
  inPart(
    [
      "all every each any",
      "must should shall has have need needs is are goes go get gets use uses start starts require requires",
    ],
    `(?:all|every|each|any)(?: of (?:our|the|your|my))? (?!two |three |four |five )(?:[\\w'./-]+ ){1,7}(?:must|should|shall|has to|have to|needs? to|(?:is|are) to|goes|go|gets?|uses?|starts? with|requires?)\\b(?! ${outcomes}| (?:have|get|use) (?:these|this|that|those|it)\\b)`,
    "that and but so",
  ),
  inPart(
    "no none",
    `(?:no|none of)(?: of (?:our|the|your|my))? (?!them |these |those )(?:[\\w'./-]+ ){1,7}(?:may|must|should|shall|can|is allowed|are allowed|without|unless|before)\\b`,
  ),
  anywhere(
    "no zero",
    /(?:^(?:please,? |and |also,? |but |so )?|\()(?:no|zero) (?:new |more |external |direct |force |inline |default |raw |hard-?coded |magic |third-party |extra |global )?(?!problem|worr|thank|error|change|issue|luck|idea|need|result|match|question|other|tests? (?:were|are|failed)|such|way|rush|stress|offen[cs]e|hurry|news|clues|bugs?|difference|one\b)[a-z][\w.-]*(?: [\w.-]+){0,3}?s\b(?: (?:in|to|on|into|inside|outside|anywhere|please|at all|whatsoever|for|from|with|under)\b(?! the (?:results?|lists?|tables?|output|response|logs?|console)\b)|[!.]|$)/,
  ),
  // Conventions for the agent's own work
  inPart(
    "must have has shall need needs are should",
    `(?:our |your |my |the )?(?:${anyWord} ){0,2}${subjects} (?:(?:in|of|for|to|on|under|inside|with) (?:[\\w'./\\ue000\\ue001-]+ ){1,5})?(?:must|have to|shall|need to|are to|has to|needs to|should)(?: only| not| all| both| be)* (?!${outcomes})(?!be ${outcomes})\\w`,
    "that and but",
  ),
  anywhere(
    ["must has have should shall needs", "stay remain kept keep continue not"],
    /(?:^|[,;:(—–]\s*|\b(?:and|but|that) )(?:the|our|your|my) (?:[\w'./-]+ ){1,6}(?:must|has to|have to|should|shall|needs to) (?:(?:stay|remain)(?! (?:as|the same|there|here|where)\b)|be kept|keep|continue to|not (?:appear|change|be changed|be used|be stored|be touched|be modified|grow|exceed|leave|depend|break|import|contain|drop|go))\b/,
  ),
  anywhere(
    ["you", "not only ask first both"],
    /\byou (?:must|have to|need to|should|are to|shall|may|can) (?:not|only|ask|first|both)\b(?! (?:need|worry|see|be able|know|find|run the|try))/,
  ),
  anywhere(
    ["you", "before after whenever every each any all when"],
    /\byou (?:must|have to|need to|are required to|should) (?!be able|see|fix|know|find|try|understand)[^?]{1,120}\b(?:before|after|whenever|every|each|any|all|when) (?:you|we|each|every|any|commit\w*|push\w*|merg\w*|deploy\w*|release\w*|edit\w*|chang\w*|finish\w*)\b/,
  ),
  inPart(
    ["every each any", eventWords],
    `(?:before|after|with|on|for) (?:every|each|any)(?: single)? ${event}\\b`,
  ),
  inPart(
    ["every each any", eventWords],
    `(?:run|use|write|add|update|create|show|tell|ask|check|commit|keep|bump|build|test|format|document|sign|read|wait|explain|summari[sz]e|link|reference|include|mention)\\b[^,?]{1,80}\\b(?:before|after|with|on|for) (?:every|each|any)(?: single)? ${event}\\b`,
    "and then to",
  ),
  inPart(
    ["everywhere throughout all", "use write put keep name store format"],
    `(?:use|write|put|keep|name|store|format) [^,?]{1,60}\\b(?:everywhere|throughout|for all|in all|across all)\\b`,
  ),
  inPart(
    "need needs require requires required",
    `(?:all|every|each|any|new|signed|two|a|an) (?:${anyWord} ){0,2}${subject} (?:needs?|requires?|(?:is|are) required)\\b(?! to ${outcomes}| (?:fixing|work|a fix|attention|some)\\b)`,
    "that and",
  ),
  anywhere("required", /\b(?:is|are) required (?:for (?:every|each|all|any)|before|on (?:every|each|all))\b/),
  atOpening(
    "treat yourself stay work remain",
    `(?:treat (?:the|all|every|any|our) [^?]{1,60} as|(?:limit|restrict|confine) yourself to|(?:stay|work|remain) (?:inside|within|exclusively|strictly|only))\\b`,
  ),
  atOpening(
    "keep",
    `keep (?:all|every|each|any) |keep (?!it |this |that |them )(?:[\\w'-]+ ){1,5}(?:out of|away from|under|below|within|to a minimum|short|small|brief|concise|focused|minimal|stable|thin|in english|private|secret)\\b`,
  ),
  inPart(
    "go live belong",
    `(?:our |your )?(?!the |these |those |my )(?:${anyWord} )?${subjects} (?:go|live|belong)\\b(?! (?:red|green|wrong|away|through|missing)\\b)`,
  ),
  anywhere("per", /\b(?:no more than|at most|max(?:imum)?(?: of)?) \S+ [a-z]+ per [a-z]+/),
  anywhere(
    "only",
    /\bonly (?:after|once|when|if) (?:i|my|you have asked|you've asked|approv\w+|a review|review|the ci|ci|all tests|the tests)\b(?!.{0,40}\?)/,
  ),
  anywhere(
    "our",
    /\b(?:on|in) our (?:team|company|project|repo|repository|codebase|shop|house),? we (?!had|were|did|have|talked|discussed|are)/,
  ),
  inPart("we", `we (?:write|name|format|sign|squash|review|document|prefix|tag) (?:\\S+ ){0,3}${subjects}`),
  anywhere(
    ["when if", "always never don't do ask tell stop fix run update"],
    /^(?:when|if) (?:a|an|any|something|some|you)\b[^,?]{1,70}, (?:then )?(?:please )?(?:always|never|don't|do not|ask|tell me|stop and|fix the|run the tests|update the doc)\b/,
  ),
  anywhere(
    "any anything",
    /\b(?:do not|don't) (?:ever )?(?:use|install|add|introduce|send|import|touch|create|call|include|write|print|leave) any(?:thing (?:outside|other|else than))?\b/,
  ),
  inClause("nothing", `use [^,?]{1,40} and nothing else\\b`),
  atOpening(
    "only",
    `(?!show|list|print|change|run|do|fix|give|read|check|just|this|that|it|the|view|one|i|we|can|last|first)[\\w.-]+(?: [\\w.-]+){0,3} only(?: in [^?]{1,40}| for [^?]{1,40}|,? please)?[.!]?$`,
  ),
  anywhere(
    "important attention warning caution",
    /(?:^|[,;:—–]\s*)(?:important|attention|warning|caution)\b ?[:!—–-]+ ?(?:the|our|all|no|do not|don't|you|it is)\b[^?]{1,120}\b(?:must|must not|may not|not|cannot|only|has to)\b/,
  ),
  anywhere(
    [
      "must may mustn't should",
      "during production prod hand manually without outside before until unless directly all project repo repository codebase",
    ],
    /\b(?:must not|may not|mustn't|must never|should not) be [a-z]+(?:ed|en|t|n)\b[^?]{0,60}\b(?:during|in production|on production|in prod|by hand|manually|without|outside|before|until|unless|directly|at all|in this (?:project|repo|repository|codebase))\b/,
  ),
  // Only
  inClause(
    "only",
    `only (?:ever )?(?:(?:edit|change|touch|read|run|test|call)\\b(?=.{0,60}\\b(?:files|tests|scripts|code) (?:in|under|inside|below|with))|use|commit|push|deploy|merge|release|publish|install|respond|answer|reply|write|import|work|talk|store|log)\\b (?!the (?:first|second|last|other|new)|the \\w+[.!]?$|this|that|it\\b)(?=.{0,80}\\b(?:in|via|through|with|from|to|on|inside|under|using|for|when|after|if)\\b|\\S+[.!]?$|\\S+ \\S+[.!]?$)`,
  ),
  inClause("only", `use only (?!the (?:first|second|last|other|new)|this|that|it\\b)`),
  inClause(
    "only",
    `(?:use|write|respond|answer|reply|commit|deploy|push|work|test|log|run) (?:\\S+ ){0,5}only\\b(?! (?:the|this|if|once|when i|for this)\\b)`,
  ),
  // This, not that
  inPart(
    "not never",
    `(?:let's )?(?:use|call|name|deploy to|commit to|push to|target|import from|log to|work on|install with|sign with) (?!it|this|that|these|those|the (?:first|second|other|one|same|new|old))[^,.?]{1,50}, (?:and )?(?:not|never) (?!just|only|yet|sure)\\S`,
  ),
  inPart(
    "instead rather over not",
    `use [\\w.@/\`'"-]+(?: \\w+)? (?:instead of|rather than|over|and not) [\\w.@/\`'"-]+(?: (?:for|in|when|everywhere|throughout|across|to)\\b(?! (?:the|this) [\\w-]+[.!]?$).*|[.!]?$)`,
  ),
  atOpening(
    "prefer stick keep",
    `(?:prefer \\S+ (?:\\S+ ){0,4}(?:over|to|instead of|rather than)|(?:stick|keep) (?:to|with) (?!this|that|it|the (?:plan|first|second|current|same)|option|going)\\S+)`,
  ),
  atOpening("avoid", `avoid (?:using|adding|any|all|[a-z]+ing|[a-z-]+ [a-z-]+s|[a-z]{4,}s)\\b`),
  inPart("avoid", "avoid (?:using|adding|introducing|writing|making|creating)\\b", "and but"),
  atOpening(
    "stop quit more refrain",
    `(?:(?:stop|quit|no more) (?:adding|using|doing|writing|making|creating|committing|pushing|asking|running|installing|putting|touching|changing|editing|deleting|apologi[sz]ing|summari[sz]ing|explaining|guessing|inventing|mocking|skipping|calling|saying)|refrain from [a-z]+ing)\\b(?!.*\\band (?:check|switch|go|use|take|start|run)\\b)`,
    "please",
  ),
  atOpening(
    "leave keep",
    `(?:leave|keep) (?!it|this|that|them|me|the rest)(?:the |our |my |all |any )?(?:\\S+ ){1,5}(?:alone|untouched|unchanged|out of (?:git|the repo|version control|commits)|up[- ]to[- ]date|in sync|backwards?[- ]compatible)\\b`,
  ),
  // Make sure
  anywhere(
    ["sure ensure see care", "always never only don't do not nobody no nothing"],
    /\b(?:make sure|ensure|be sure|see to it|take care)(?: that)?(?: you| we| to)? (?:always|never|only|don't|do not|not to|nobody|no one|nothing|no)\b/,
  ),
  withSubject(
    "sure ensure see",
    `\\b(?:make sure|ensure|be sure|see to it)(?: that)? (?!the (?:${anyWord} )?[a-z]*\\ue001)(?:all |every |each |any |our |your )?(?:${anyWord} ){0,2}${subject} (?:(?:in|of|for|to) (?:[\\w'./\\ue000\\ue001-]+ ){1,4})?(?:are|is|have|has|use|uses|include|contain|start|end|follow|go|goes|stay|stays|get|gets|carry|mention|reference|never|always|do not|don't)\\b(?! ${outcomes}| (?:green|passing|fixed|working|ok|fine)\\b)`,
  ),
  anywhere(
    ["sure ensure see", "every each any"],
    /\b(?:make sure|ensure|be sure|see to it)(?: that)?(?: you| we| to)? [^?]{1,120}\b(?:before|after|with|on|in|for) (?:every|each|any)\b/,
  ),
  anywhere(
    ["sure ensure", "stay stays remain remains never always keep keeps"],
    /\b(?:make sure|ensure)(?: that)? (?:the|our|your) (?:[\w'./-]+ ){1,6}(?:stays?|remains?|is never|are never|is always|are always|keeps?)\b/,
  ),
  anywhere(
    "important crucial critical essential imperative vital",
    /\bit(?:'s| is) (?:very |really |absolutely |extremely )?(?:important|crucial|critical|essential|imperative|vital)(?: to me)?,? that (?!it|this|that|these|those)/,
  ),
];
