/**
 * Fits the weights that tell the user's rules from other sentences, and shows how well they do on sentences of writers
 * that they were not fitted on:
 *
 *   node scripts/fit-rules.ts [FOLDER…]            fits, and prints the table
 *   node scripts/fit-rules.ts --write [FOLDER…]    and writes the weights to src/compaction/rules
 *
 * The sentences are in scripts/fit-rules/sentences, a pair of files for each writer: *.rules.txt and *.ordinary.txt. A
 * FOLDER has more of them, such as sentences from recorded sessions. Nothing leaves the machine.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { featuresOf } from "../src/compaction/rules/features.ts";
import { isForeignRule } from "../src/compaction/rules/is-rule.ts";
import { bias, sumWeights } from "../src/compaction/rules/likelihood.ts";
import { ownSentences } from "../src/compaction/rules/own-words.ts";
import { plain } from "../src/compaction/rules/plain.ts";
import { comparedBy } from "../src/compaction/rules/replaces.ts";
import { oddsOfChange, type Sentence, sentenceOf } from "../src/compaction/rules/sentence.ts";
import { ordinary } from "../src/compaction/rules/test-support/ordinary-sentences.ts";
import { rules } from "../src/compaction/rules/test-support/stated-rules.ts";
import { hosts } from "../src/hosts/hosts.ts";
import { fitLogistic } from "./fit-need/logistic.ts";
import { type Conversation, readConversations } from "./fit-rules/conversations.ts";
import { type Pair, pairsApart, pairsOf, type Read } from "./fit-rules/pairs.ts";
import { type Example, fitSparse } from "./fit-rules/sparse-logistic.ts";

interface Writer {
  name: string;
  rules: readonly string[];
  ordinary: readonly string[];
  /** How often each sentence counts (default: once). */
  times?: number;
}

const { values, positionals } = parseArgs({
  options: { write: { type: "boolean" } },
  allowPositionals: true,
});
const own = join(import.meta.dirname, "fit-rules", "sentences");
const writers: Writer[] = [
  ...[own, ...positionals].flatMap(readWriters),
  { name: "tests", rules, ordinary, times: 4 },
].map((writer) => ({ ...writer, rules: writer.rules.filter(isEnglish) }));

/** Writers of ordinary talk, which replaces no rule. */
const talkers = ["asides", "sessions", "house"];

/** Parts into which conversations are divided, each of which is left out once; and what keeps their weights small. */
const parts = 5;
const ridge = 0.5;

/** Shares of ordinary sentences that may be taken for rules. */
const shares = [0.01, 0.02, 0.05, 0.1];

console.log(
  `Rules found if 1, 2, 5 and 10 % of a writer's ordinary sentences are taken for rules, fitted on the others:`,
);
for (const writer of writers) {
  const fitted = fitSparse(examplesOf(writers.filter((other) => other !== writer)), bias);
  const sums = (texts: readonly string[]) => texts.map((text) => sumWeights(features(text), fitted));
  const found = sums(writer.rules);
  const others = sums(writer.ordinary).sort((a, b) => b - a);
  const cells = shares.map((share) => {
    const least = others[Math.floor(share * others.length)] ?? 0;
    const recall = found.filter((sum) => sum > least).length / found.length;
    return `${(100 * recall).toFixed(0)} % (above ${least.toFixed(1)})`.padEnd(18);
  });
  console.log(
    `  ${writer.name.padEnd(14)} ${found.length} rules, ${others.length} others: ${cells.join(" ")}`,
  );
}

const sentences = new Map<string, Sentence>();
const conversations = readConversations();
const changeExamples = conversations.map(changesIn);
const background = writers.flatMap((writer) =>
  [...everyOther(writer.rules), ...everyOther(writer.ordinary)].map((text) => example(text, false)),
);
const partOf = (index: number) => index % parts;
const changeFits = Array.from({ length: parts }, (_, part) =>
  fitSparse([...changeExamples.filter((__, index) => partOf(index) !== part).flat(), ...background], bias),
);

console.log(
  "\nSentences that replace a rule, and others taken for one, in conversations that were left out:",
);
const talk = writers.flatMap((writer) => (talkers.includes(writer.name) ? writer.ordinary : []));
const readers = changeFits.map((fitted) => readWith(fitted));
const pairs = conversations.map((each, index) => {
  const read = readers[partOf(index)] ?? readOnce;
  return [...pairsOf(each, read), ...pairsApart(each.rules, talk.slice(index % talk.length), read)];
});
const compared = Array.from({ length: parts }, (_, part) => {
  const fitted = fitPairs(pairs.filter((__, index) => partOf(index) !== part).flat());
  const left = pairs.filter((__, index) => partOf(index) === part);
  return left.flatMap((conversation) => bestOf(conversation, fitted));
}).flat();
for (const least of [-2.5, -2, -1.5, -1, -0.5, 0]) {
  const corrections = compared.filter(({ isCorrection }) => isCorrection);
  const others = compared.filter(({ isCorrection }) => !isCorrection);
  const right = corrections.filter(({ odds, isRight }) => isRight && odds > least).length;
  const wrong = others.filter(({ odds }) => odds > least).length;
  console.log(`  above ${least}: ${right} of ${corrections.length}, and ${wrong} of ${others.length}`);
}

const examples = writers.reduce((sum, writer) => sum + writer.rules.length + writer.ordinary.length, 0);
const ours = readWriters(own).reduce((sum, writer) => sum + writer.rules.length + writer.ordinary.length, 0);
const checked = rules.length + ordinary.length;
const ruleLines = linesOf(fitSparse(examplesOf(writers), bias));
const changeLines = linesOf(fitSparse([...changeExamples.flat(), ...background], bias));
console.log(`\n${examples} sentences, ${pairs.flat().length} pairs`);
if (values.write) {
  write("weights", rulesSource(ruleLines));
  write("changing-weights", changesSource(changeLines));
  write("replacing-weights", replacingSource(fitPairs(pairs.flat())));
}

/** The sentences of a conversation, and whether each changes what was said before. */
function changesIn({ rules, later }: Conversation): Example[] {
  return [
    ...rules.flatMap(ownSentences).map((text) => example(text, false)),
    ...later.flatMap(({ message, replaces, says }) =>
      ownSentences(message)
        .filter((text) => replaces === null || text === says)
        .map((text) => example(text, replaces !== null)),
    ),
  ];
}

function example(text: string, isRule: boolean): Example {
  return { features: features(text), isRule };
}

function features(text: string): string[] {
  return featuresOf(plain(text));
}

function everyOther(texts: readonly string[]): string[] {
  return texts.filter((_, index) => index % 2 === 0);
}

function readWith(weights: ReadonlyMap<string, number>): Read {
  const read = new Map<string, Sentence>();
  return (text) => {
    const fitted = () => oddsOfChange(plain(text), sumWeights(features(text), weights));
    const sentence = read.get(text) ?? { ...readOnce(text), changes: fitted() };
    read.set(text, sentence);
    return sentence;
  };
}

function readOnce(text: string): Sentence {
  const sentence = sentences.get(text) ?? sentenceOf(text);
  sentences.set(text, sentence);
  return sentence;
}

/** For each sentence of a conversation: whether it replaces a rule, and whether the likeliest is that rule. */
function bestOf(conversation: readonly Pair[], fitted: readonly number[]) {
  return [...Map.groupBy(conversation, ({ said }) => said).values()].map((all) => {
    const sorted = all
      .map(({ features, isNeeded }) => ({
        isNeeded,
        odds: features.length === 0 ? Number.NEGATIVE_INFINITY : dot(features, fitted),
      }))
      .sort((a, b) => b.odds - a.odds);
    const { isNeeded = false, odds = 0 } = sorted[0] ?? {};
    return { isCorrection: all.some((pair) => pair.isNeeded), isRight: isNeeded, odds };
  });
}

function fitPairs(chosen: readonly Pair[]): number[] {
  return fitLogistic(
    chosen.filter(({ features }) => features.length > 0),
    comparedBy.length,
    ridge,
  );
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}

function readWriters(folder: string): Writer[] {
  const linesOf = (name: string) =>
    readFileSync(join(folder, name), "utf8")
      .split("\n")
      .filter((line) => line !== "");
  return globSync("*.rules.txt", { cwd: folder })
    .map((file) => basename(file, ".rules.txt"))
    .sort()
    .map((name) => ({
      name,
      rules: linesOf(`${name}.rules.txt`),
      ordinary: linesOf(`${name}.ordinary.txt`),
    }));
}

function examplesOf(from: readonly Writer[]): Example[] {
  return from.flatMap(({ times = 1, ...writer }) => {
    const examples = [
      ...writer.rules.map((text) => example(text, true)),
      ...writer.ordinary.map((text) => example(text, false)),
    ];
    return Array.from({ length: times }, () => examples).flat();
  });
}

/** Rules in other languages are found by their words. */
function isEnglish(text: string): boolean {
  return /^[\p{ASCII}’“”–—…]*$/u.test(text) && !isForeignRule(plain(text));
}

/** Which agent a user talks to says nothing about other sentences. */
function namesHost(feature: string): boolean {
  const words = feature.split(" ");
  return hosts.some(({ name, title }) => words.includes(name) || words.includes(title.toLowerCase()));
}

/** Weights and the features that have them, a weight on each line. */
function linesOf(fitted: ReadonlyMap<string, number>): string[] {
  const kept = [...fitted]
    .map(([feature, weight]) => [feature, Math.round(weight * 20) / 20] as const)
    .filter(([feature, weight]) => weight !== 0 && !namesHost(feature));
  return [...Map.groupBy(kept, ([, weight]) => weight)]
    .sort(([a], [b]) => b - a)
    .map(([weight, features]) => [weight, ...features.map(([feature]) => feature).sort()].join("|"));
}

function write(name: string, source: string): void {
  writeFileSync(new URL(`../src/compaction/rules/${name}.ts`, import.meta.url), source);
}

function replacingSource(weights: readonly number[]): string {
  const lines = weights.map((weight, index) => `  ${Number(weight.toFixed(2))}, // ${comparedBy[index]}`);
  return `/**
 * How much each feature says that a sentence replaces an earlier rule; the order is that of \`comparedBy\`.
 *
 * Fitted by logistic regression on ${pairs.flat().length} pairs with \`node scripts/fit-rules.ts --write\`, which prints how many
 * corrections are found in conversations that were left out.
 */
export const weights: readonly number[] = [
${lines.join("\n")}
];
`;
}

function changesSource(lines: readonly string[]): string {
  return `/**
 * How much each feature of a sentence says that it changes what the user said before: a weight, and the features that
 * have it.
 *
 * Fitted by logistic regression on the conversations in scripts/fit-rules with \`node scripts/fit-rules.ts --write\`.
 */
export const weights = \`
${lines.join("\n")}
\`;
`;
}

function rulesSource(lines: readonly string[]): string {
  return `/**
 * How much each feature of a sentence says that it is a rule of the user: a weight, and the features that have it.
 *
 * Fitted by logistic regression on ${examples} sentences; ${ours} of them are in scripts/fit-rules and ${checked} in
 * the tests, the others are from recorded sessions. Fit them again with \`node scripts/fit-rules.ts --write\`, which prints
 * how many rules are found of writers that were left out.
 */
export const weights = \`
${lines.join("\n")}
\`;
`;
}
