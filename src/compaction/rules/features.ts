import { dropTrailing } from "../../engine/text.ts";

/** Words that say the same about a sentence: what holds for one branch or language holds for another. */
const classes: Record<string, string> = {
  "<act>": "commit push merge deploy publish release tag rebase squash ship upload amend revert",
  "<acting>":
    "committing pushing merging deploying publishing releasing tagging rebasing shipping installing deleting changing editing touching adding running starting finishing refactoring renaming",
  "<edit>":
    "touch edit modify change alter rename move rewrite refactor delete remove drop overwrite reformat format",
  "<language>":
    "english german french spanish italian chinese japanese portuguese dutch russian polish british american",
  "<tool>":
    "npm pnpm yarn bun pip uv poetry conda cargo make gradle maven docker podman vite webpack jest vitest pytest mocha eslint prettier ruff black biome node deno nix brew apt ansible terraform kubectl helm",
  "<place>": "prod production staging dev develop main master trunk preview live local localhost",
  "<day>": "monday tuesday wednesday thursday friday saturday sunday mondays fridays weekend weekends",
  "<things>":
    "commits messages branches prs mrs titles reviews releases tags versions deploys deployments migrations dependencies packages imports tests fixtures mocks comments docs docstrings functions methods components classes types names variables constants identifiers files paths scripts configs secrets credentials passwords keys tokens logs timestamps dates times amounts prices ids urls endpoints routes queries responses requests errors exceptions strings texts translations answers replies reports summaries changes edits patches backups jobs schemas tables columns headers lines pages screenshots images hooks modules libraries libs emojis todos prints abbreviations settings flags models notebooks",
  "<thing>":
    "message branch pr title review version migration dependency package import test fixture mock comment doc docstring function method component class type name variable constant file path script config secret password key token log timestamp date amount price id url endpoint route query response request error exception string text translation answer reply report summary change patch backup job schema table column header line page screenshot image hook module library lib feature bugfix task ticket changelog code sql",
};

const classOf = new Map(
  Object.entries(classes).flatMap(([name, words]) => words.split(" ").map((word) => [word, name] as const)),
);

/** A word, a run of other characters without a space, or a sign. */
const token =
  /[a-z\u00df-\u024f]+(?:'[a-z]+)?(?:-[a-z]+)*(?![\w./\\@-]{0,100}[\d_/\\.@]\w)|[\w./\\@~<>$#+*-]+|[,;:—–?!()=]/g;

const isWord = /^[a-z\u00df-\u024f][a-z\u00df-\u024f'-]*$/;
const isSign = /^[,;:—?!()=]$/;

/** Numbers and names are alike: which one it is says nothing about whether the sentence is a rule. */
function tokensOf(plainText: string): string[] {
  const found = plainText.replaceAll("xx", "@").match(token) ?? [];
  return found.map((text) => {
    if (text === "–" || /^[-*]+$/.test(text)) return "—";
    if (isWord.test(text) || isSign.test(text)) return text;
    return /^\d/.test(text) ? "#" : "@";
  });
}

/** The words that say by their position how a sentence begins. */
const beginning = 4;

/** Words of demands, which other sentences have as well: what else a sentence has tells them apart. */
const demanding = new Set(
  "never always must mustn't shall forbidden banned prohibited allowed off-limits don't won't until unless whenever only every each all no nothing nobody avoid stop ask max before without ever need needs has have should can't cannot".split(
    " ",
  ),
);
const maxDemanding = 4;

/** What a sentence is about or how it is said: "it never loads" is no demand. */
const manners: [name: string, pattern: RegExp][] = [
  ["?", /\?$/],
  ["me", /\b(?:i|i'm|i've|my)\b/],
  ["you", /\byour?\b/],
  ["past", /\b(?:was|were|did|had|\w+ed)\b/],
  ["it", /\bit\b/],
  ["the", /\b(?:the|this|that)\b/],
];

/** Each demanding word, with each manner of the sentence and with its first word. */
function demandsIn(text: string): string[] {
  const words = text.match(/[a-z']+/g) ?? [];
  const demands = [...new Set(words.filter((word) => demanding.has(word)))].slice(0, maxDemanding);
  const said = [`^${words[0]}`, ...manners.flatMap(([name, pattern]) => (pattern.test(text) ? [name] : []))];
  return [
    ...demands.flatMap((word) => said.map((manner) => `${word}&${manner}`)),
    `demands ${demands.length}`,
  ];
}

/**
 * What is looked at in a sentence in plain form: its words, pairs of words, the words that it begins with, demanding words with what
 * else it says, and its length.
 */
export function featuresOf(plainText: string): string[] {
  const text = dropTrailing(plainText, " .!");
  const words = tokensOf(text);
  const kinds = ["^", ...words.map((word) => classOf.get(word) ?? word), "$"];
  const features = new Set<string>(words);
  for (const [index, kind] of kinds.entries()) {
    if (index === 0) continue;
    features.add(kind).add(`${kinds[index - 1]} ${kind}`);
    if (index > 1) features.add(`${kinds[index - 2]} * ${kind}`);
  }
  for (const [index, word] of words.slice(0, beginning).entries()) features.add(`${index + 1}: ${word}`);
  for (const feature of demandsIn(text)) features.add(feature);
  return [...features.add(`length ${Math.min(6, Math.floor(Math.log2(words.length + 1)))}`)];
}
