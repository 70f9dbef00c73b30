import { anywhere, atOpening, base, type Cue, inClause, inPart, withSubject } from "./cue.ts";
import { anyWord, subject, subjects } from "./subjects.ts";

/** Work that one person may keep for themselves, as a noun and as what they do. */
const duties =
  "(?:deploys?|deployments?|releases?|commits?|merges?|push(?:es)?|git \\w+|migrations|pushing|merging|deploying|publishing|committing|releasing)";
const does =
  "(?:merges|deploys|pushes|publishes|releases|commits|approves|touches|edits|deletes|restarts|changes|writes to)";

/** What is done to work when it is finished. */
const finished =
  "(?:merged|deployed|released|shipped|pushed|published|committed|restarted|deleted|changed|installed|edited)";

const languageWords =
  "english german french spanish dutch italian portuguese polish russian swedish turkish japanese chinese korean";
const languages = `(?:(?:plain |simple |british |american )?(?:${languageWords.replaceAll(" ", "|")}))`;

/** What a verb of a demand is not: an answer of the program, or a word that begins a statement. */
const product =
  "(?:show|display|return|throw|render|print|log|redirect|hide|set|open|close|send|load|create|call|use|the|it|this|that|there|we|i|you|he|she|they|what|why|how|is|are|nothing|everything|all)\\b";

/** Who does what, what is no longer allowed, and what is asked for in a roundabout way. */
export const strongHabits: readonly Cue[] = [
  // Who does what
  anywhere(
    "mine job call yours",
    new RegExp(`\\b${duties} (?:is|are) (?:all )?(?:mine|my job|my call)\\b|\\bmy job, not yours\\b`),
  ),
  anywhere(
    "do handle make",
    new RegExp(
      `\\bi (?:do|handle|make|take care of) (?:all |of |the |my |our )*${duties}\\b(?! (?:on|in|to) )`,
    ),
  ),
  anywhere(
    "i me",
    new RegExp(
      `\\bi (?:merge|push|deploy|commit|publish|release),? (?:and )?(?:you don't|you do not|not you)\\b|\\blet me (?:do|make|handle) (?:all )?(?:of )?(?:the|my) ${duties}\\b|\\blet me be the one\\b`,
    ),
  ),
  anywhere("only", new RegExp(`\\bonly (?!ever|then|it|one|this|that)[\\w-]+ ${does}\\b`)),
  anywhere("nobody one", new RegExp(`\\b(?:nobody|no one) (?:ever )?${does}\\b`)),
  anywhere("nothing", new RegExp(`\\bnothing (?:is|gets|will be) ${finished}\\b`)),
  anywhere(
    "me her him them us",
    /\b(?:any|every|all|each)\b[^?]{1,60}\b(?:goes?|comes?|runs?) (?:through|via|past|by|to) (?:me|her|him|them|us)\b/,
  ),
  anywhere(
    ["i", "asked told informed consulted pinged review approve check"],
    /\bi want to be (?:asked|told|informed|consulted|pinged) (?:before|first|about (?:any|every|all))|\bi (?:review|approve|check) (?:every|each|all) [\w-]+ (?:myself|before|first)/,
  ),
  inPart(
    ["you", "don't not"],
    "you (?:don't|do not) (?:get to |ever )?(?:merge|push|deploy|commit|publish|release|change|touch|edit|invent|make up)\\b(?! (?:the|this|that) \\w+ (?:in|when|if|here|there))",
  ),
  anywhere("goes said", /\bthat goes for (?:every|all|any)|^i said (?:no|never|don't|do not|always|only)\b/),
  // No longer
  anywhere(
    ["longer not", "you you're i"],
    /\byou (?:(?:may|can|must|should|have|are) )?no longer\b|\byou're no longer\b|\byou(?:'re| are) not to\b|\bi no longer want you\b/,
  ),
  anywhere("you", /\bi (?:don't|do not) want you [a-z]+ing\b|\bno more [^,?]{2,40} from you\b/),
  anywhere(
    "revoked withdrawn table",
    /\b(?:is|are|'s|'re) (?:hereby |now )?(?:revoked|withdrawn|off the table)\b/,
  ),
  atOpening(
    ["own yourself anymore more longer", "don't not"],
    "(?:don't|do not) (?!know|think|see|understand|need|have)[a-z]+ [^?]{0,60}\\b(?:on your own|by yourself|any ?more|any longer)\\b",
  ),
  anywhere(
    "ask wait check",
    /\b(?:normally|usually|by default),? you (?:ask|wait|check)\b|\bask me (?:each|every) time\b/,
  ),
  // In a roundabout way
  anywhere("mind", /\bwould you mind (?:not|never|always|only)\b/),
  anywhere(
    "if",
    /\b(?:it(?:'d| would) (?:be (?:great|nice|good|best|lovely|helpful|better)|help(?: me)?)|i(?:'d| would) (?:really )?(?:appreciate(?: it)?|be (?:grateful|happy|glad)|love it|like it)),? if (?:you|we) (?:could |would )?(?:please )?(?:always|never|only|not|didn't|did not|don't|stopped|kept|keep|asked|ask|avoided|avoid|stuck)\b/,
  ),
  anywhere(
    "ask",
    /\b(?:could|may|can|might) i ask (?:you to|that you)\b[^?]{0,160}\b(?:always|never|all|every|each|before|only|not)\b/,
  ),
  anywhere(
    "like want",
    /\bi(?:'d| would)? (?:really |very much )(?:like|want) you to (?:always|never|only|not|ask)\b/,
  ),
  atOpening("never", "never again\\b"),
  anywhere(
    "approval permission confirmation",
    /(?:^|, )(?:always )?(?:ask|wait) for (?:\w+ )?(?:approval|permission|confirmation) before\b/,
  ),
  inClause("ever", `only ever (?!see|get|need|want|had|saw)${base}`),
  // What we do here
  anywhere(
    "we we've",
    /\bwe (?:don't|do not) do\b(?! (?:that|this|it|anything) (?:yet|because|when))|\bwhat we (?:don't|never) do\b|\bwe(?:'ve| have) (?:standardi[sz]ed|settled|agreed) on\b|\bwe (?:have to|need to|must) (?:support|stay|comply)\b|\bwe (?:stick to|pin|prefer|aim for|address)\b(?! (?:the plan|this|that|it)\b)|\bwe keep [\w -]{2,40}\b(?:short|small|thin|simple|minimal|stable|separate)\b/,
  ),
  anywhere("no not never", /\bwe [a-z]+ [^,?]{1,60}, no [\w-]+s?[.!]?$/),
  anywhere(
    "minimum oldest lowest",
    /\b(?:is|are) the (?:minimum|oldest|lowest) [\w ]{0,30}we (?:support|allow|use|target)\b/,
  ),
  anywhere(
    "guide policy convention rule",
    /\b(?:style ?guide|policy|convention|rule) (?:here )?(?:forbids|requires|bans|is (?!broken|wrong|missing|not|in|too))|\bhas an? no-[\w-]+ (?:policy|rule)\b/,
  ),
  anywhere(
    "main master develop trunk",
    /\b(?:main|master|develop|trunk) (?:is always|stays?|remains?)\b(?! (?:red|broken|slow|behind|as))/,
  ),
  anywhere("be", /\b(?:is|are) not to be [a-z]+(?:ed|en|t|n)\b/),
  anywhere("none", /\bnone of (?:it|this|that) (?:may|must|should|shall|goes|is to)\b/),
  anywhere(
    "day hour minute week month run",
    /\b(?:budget|limit|cap|quota) (?:for|on|of) [^?]{1,40} is \S+ [^?]{0,20}\b(?:per|an?|each|every) (?:day|hour|minute|week|month|run)\b/,
  ),
  anywhere("done", /\b[a-z]+ing is done (?:by|via|through) /),
  anywhere(
    "fan allergic hate stand dislike like preference",
    /\bi(?:'m| am) (?:not a (?:big |huge )?fan of|allergic to) (?!this|that|the\b|it\b|how)|\bi (?:hate|can't stand|dislike|don't like|do not like) (?:it when you|(?!the|this|that|it\b|how|when|my|your|what|to\b|where|these|those|[a-z]+ing\b)(?:[\w-]+ )?[\w-]+[^s]s\b)|\bi like my [\w-]+ [\w-]+|\bpreference of mine\b|\bmy preference(?: is|:)/,
  ),
  anywhere(
    ["see", "any every each don't not"],
    /\bi (?:want|need|expect|like) to see\b[^?]{0,160}\b(?:before|in|with|for) (?:any|every|each)\b|\bi (?:don't|do not) want to see (?!this|that|the\b|it\b)/,
  ),
  inClause(
    languageWords,
    `(?:answer|reply|respond|write|speak|talk)(?: to)?(?: me)?(?: back)?(?: only| please)* in ${languages}\\b`,
  ),
];

/** What holds as long as nothing binds it to the work at hand. */
export const weakHabits: readonly Cue[] = [
  atOpening(
    "prefer",
    "prefer (?!not\\b|this|that|it\\b|option|the (?:first|second|third|other|latter|former))\\w",
  ),
  anywhere(
    "one",
    /\bone [\w-]+(?: [\w-]+)? per (?:pr|commit|file|change|branch|test|component)\b|^(?:please )?work on one [^?]{2,40} at a time\b/,
  ),
  anywhere(
    "commits existing session",
    /\b(?:use conventional|(?:make|keep|write) (?:small|atomic|signed|separate)) commits\b|\bfollow (?:the |our )?existing (?:[\w-]+ )?(?:style|patterns|conventions)|\bat (?:the )?(?:session (?:start|end)|(?:start|end) of (?:every|each|a) (?:session|task|turn))\b/,
  ),
  inClause(
    "before",
    "(?:suggest|propose|show|write|discuss|explain|run) [^,?]{2,60}\\bbefore (?:coding|making|adding|changing|deleting|completing|finishing|touching|starting)\\b(?! (?:this|that|it|the)\\b)",
  ),
  atOpening("before", "before coding[,:]"),
  // Until something has happened
  atOpening(
    "until till long during while before from starting",
    "(?:until|till|as long as|during|while|before|from [\\w ]{2,20} on\\b|starting) ?(?!it |this |that |you )[^,:?]{0,80},? (?:so )?(?:please )?(?:don't|do not|no\\b(?! (?:idea|problem|one knows))|nobody|nothing (?:is|gets|goes|may)|only|everything (?:has|must|needs)|every (?:pr|commit|change)|all (?:prs|commits|changes)|keep|never|[\\w ]{3,30} waits?\\b)",
  ),
  inPart(
    "until before during while",
    "no (?!idea|one|need|problem|wonder|reason|luck|result|error)[\\w-]+(?: [\\w-]+){0,2} (?:until|before|during|while)\\b",
    "so and",
  ),
  inClause("hold", "hold off (?:on|with) [^?]{2,80}\\b(?:until|till|before)\\b"),
  anywhere(
    ["so", "no nothing"],
    /\b(?:freeze|support|on|until|only|shared|runs?)\b[^?]{2,60}\bso (?:no|nothing) (?!worr|problem|need|idea|luck|wonder|point|one)[\w-]+(?: [\w-]+){0,3}[.!]?$/,
  ),
  // If something happens
  atOpening(
    "if when once soon should before after unless case whenever",
    `(?:if|when|once|as soon as|should|before|after|unless|whenever) you(?:'re| are)? (?:ever |really |have to |need to |going to |want to |must )*(?:(?:change|touch|rename|delete|edit|move|commit|push|merge|deploy|install|upgrade|introduce|remove|refactor|modify)\\b|(?:add|create|write|find|need|use|fix)\\b(?! the\\b))(?! (?:it|this|that|them|these|those)\\b)[^,?]{0,80}, (?:then |please |also )*(?!${product})${base}(?! (?:it|that|this)[.!]?$)`,
  ),
  atOpening(
    ["if when once whenever", "a an any"],
    `(?:if|when|once|whenever) (?:an?|any) (?:${anyWord} ){0,2}${subject} [^,?]{1,70}, (?:then |please )*(?:it (?:must not|may not|is never)|(?!${product})${base})\\b`,
  ),
  atOpening(
    ["if unless when", "don't not no nobody stop ask ping leave check revert"],
    "(?:if|unless|when) [^,?]{3,70}, (?:then )?(?:please )?(?:(?:don't|do not) (?!show|display|render|return|print|throw|send|call|load|log|create|add|open|use|worry)[a-z]|no [a-z]+(?:ing|s)\\b|nobody|stop and|ask|ping me|leave it alone|check with|revert)",
  ),
  atOpening(
    ["before after when", "ask check ping talk tell consult run show"],
    "(?:before|after|when) [a-z]+ing [^,?]{2,60}, (?:please |always )*(?:ask|check with|ping|talk to|tell me|consult|run|show me)\\b",
  ),
  // Before something is done
  inClause(
    "before",
    "(?:run|format|check|show|write|update|test|lint|get|rebase|squash|build|review|document|verify)\\b(?! (?:this|that|it|them)\\b)[^,?]{0,60}\\bbefore (?:you )?(?:commit|push|merg|deploy|releas|publish|add it|run it|hand|cod|delet|install)\\w*(?: it\\b| anything\\b[^?]{0,160}| to \\w+)?[.!]?$",
  ),
  inClause(
    "any anything every",
    "(?:double-)?check (?:in )?with \\w+ (?:on|before|after|about) (?:any|every|each)",
  ),
  anywhere("anything", /\b(?:on|for|with|before) anything (?:that|which)\b/),
  // Everything of a kind
  inPart(
    "anything everything",
    "(?:anything|everything) (?:that|which|you|we|in|under|outside|below) [^,?]{2,60}(?: (?:must|has to|needs to|goes|is off)\\b|, (?:so )?(?:don't|do not|never|leave|keep))",
  ),
  inPart(
    "all every each your",
    `(?:write|name|put|store|prefix|link|sign(?: off)?|title|tag|squash|wrap|pin|spell) (?:all |every |each |your |new )+(?:${anyWord} ){0,3}${subject}(?!\\w)(?! again| in (?:this|that|one)\\b)`,
    "to and",
  ),
  inPart(
    "branches commits prs tags releases versions dependencies",
    "(?:name|sign(?: off)?|title|pin|squash|prefix|open) (?:your |feature )?(?:branches|commits|prs|tags|releases|versions|dependencies)\\b(?! (?:for|of|in) )",
  ),
  inPart(
    "every each",
    "(?:set|link|start|prefix|put|pass|write|add|include|mention) [^,?]{1,60}\\b(?:in|to|for|on|with) (?:every|each) (?:pr|commit|test run|release|branch|commit message|ticket)\\b",
  ),
  inPart("every each", "(?:prefix|start) (?:every|each)\\b"),
  atOpening("first", "(?:write |do )?tests first[.!]?$"),
  // This, not that
  atOpening(
    ["don't not never"],
    "(?!no\\b|yes|yeah|ok|okay|well|hm|wait|please|sorry|stop|thanks|hey|dude|but|and|just)[a-z-]+, (?:don't|do not|never) (?!worry|bother|forget|mind)[a-z-]+(?: [\\w-]+)?[.!]?$",
  ),
  inPart("for", `use (?:xx|\\S*/\\S*) for (?:the |all |our |your )?(?:${anyWord} )?${subjects}`),
  atOpening("ok okay welcome", "(?:xx|[a-z]+ing [^,?]{1,40}) (?:is|are) not (?:ok|okay|welcome)\\b"),
  inPart("not", "log (?:through|with|via|to) [^,?]{1,40}, not\\b"),
  inPart(
    "not never no don't",
    `(?:our |all our |all )?(?!the |these |those )(?:${anyWord} ){0,2}${subjects} (?:are|go|come|live|belong|happen|stay|follow|need|get)\\b[^?]{1,80}, (?:(?:not|never|no)\\b (?!sure|yet|only|just)|[\\w-]+ ones (?:don't|do not))`,
  ),
  inPart(
    "are",
    `(?:our |all our |all )?(?!the |these |those )(?:${anyWord} ){0,2}${subjects} are (?:always |all )?(?:in (?:${languages}|lower ?case)|[\\w-]+-only|immutable|snake_case|kebab-case|camelcase|pascalcase|squashed|signed|pinned|versioned|iso)\\b(?! (?:now|already|again|wrong))`,
  ),
  inPart(
    ["this", "project repo repository codebase house team crate package"],
    `(?:(?:our |all )?(?:${anyWord} ){0,2}${subjects} are|it's) [^?,]{1,60} in this (?:project|repo|repository|codebase|house|team|crate|package)[.!]?$`,
  ),
  // Told by the way
  withSubject(
    "btw way know fyi thing note ps heads up future general forget reminder side",
    `^(?:(?:oh|and|also|one|quick|small|side|last|more)[, ]+)*(?:btw|by the way|just so you know|fyi|thing|note|p\\.?s\\.?|heads[- ]?up|for the future|in general|before i forget|reminder)[,:.!—–-]*\\s+(?:and )?(?:our |all )?(?:${anyWord} ){0,2}${subjects} (?:(?:follow|go|come|get|are|have|need|live|use|start|end|stay)\\b(?! (?:failing|red|green|broken|slow|passing|done|flaky|missing|not|still|now|already|being|gone|an error|stuck|lost|too|very|so|really|all))|in ${languages})`,
  ),
  // What is not to be done
  inClause(
    "don't not",
    `(?:do not|don't) (?!worry|bother|know|think|forget|care|see|understand|get\\b|need|have|wait|mind|want)${base} (?:anything (?:bigger|larger|longer|outside|under|that)\\b|any\\b|my\\b|[~*]|\\.{0,2}/|\\S+/(?:[\\s.,!*]|$)|\\S+/\\S+[./]\\w)`,
  ),
  inPart(
    "not don't dont",
    "(?:do not|don't) (?:read|download|squash|force|reformat|rename|paste|merge|build|fetch|stage) (?!it|this|that|them|these|those|anything|everything|the|a\\b|an\\b|for|until|yet)\\S+(?: \\S+)*",
  ),
  atOpening(
    "don't not",
    `(?:do not|don't) (?!worry|bother|know|think|forget|care|see|understand|get\\b|need|have|wait|mind|want|show|display|render|print|return|throw|load)${base} (?!the\\b|this|those|these|his|its|always|us\\b)(?:[\\w-]+ )?[\\w-]+[^s\\W]s\\b`,
  ),
  inClause("leave", "leave (?!it|this|that|them|me|the rest)[^,?]{2,60} to me\\b"),
  atOpening("enough cut", "(?:enough with|cut) the [\\w -]+s\\b[.!]?$"),
  atOpening("no", "no [a-z]+(?<!th|warn|mean|match|exist)ing(?: [\\w-]+){0,2}[.!]*$"),
];
