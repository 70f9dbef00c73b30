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
import { plain } from "../src/compaction/rules/plain.ts";
import { comparedBy } from "../src/compaction/rules/replaces.ts";
import { ordinary } from "../src/compaction/rules/test-support/ordinary-sentences.ts";
import { rules } from "../src/compaction/rules/test-support/stated-rules.ts";
import { hosts } from "../src/hosts/hosts.ts";
import { fitLogistic } from "./fit-need/logistic.ts";
import { type Pair, readPairs } from "./fit-rules/pairs.ts";
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

/** Writers of whole conversations: what they say beside a rule does not correct it. */
const talkers = ["asides", "sessions"];

/** Parts into which pairs are divided, each of which is left out once; and what keeps their weights small. */
const parts = 5;
const ridge = 0.5;

/** Shares of ordinary sentences that may be taken for rules. */
const shares = [0.01, 0.02, 0.05, 0.1];

console.log(
  `Rules found if 1, 2, 5 and 10 % of a writer's ordinary sentences are taken for rules, fitted on the others:`,
);
for (const writer of writers) {
  const fitted = fitSparse(examplesOf(writers.filter((other) => other !== writer)), bias);
  const sums = (texts: readonly string[]) => texts.map((text) => sumWeights(text, fitted));
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

const pairs = readPairs(
  writers.flatMap((writer) => (talkers.includes(writer.name) ? writer.rules : [])),
  writers.flatMap((writer) => (talkers.includes(writer.name) ? writer.ordinary : [])),
);
console.log(
  "\nCorrections found, and other pairs of a rule and a sentence taken for one, fitted on the others:",
);
const compared = Array.from({ length: parts }, (_, part) => {
  const isOwn = ({ conversation }: Pair) => conversation % parts === part;
  const fitted = fitPairs(pairs.filter((pair) => !isOwn(pair)));
  return pairs.filter(isOwn).map(({ features, isNeeded }) => ({ isNeeded, odds: dot(features, fitted) }));
}).flat();
for (const least of [-1, -0.5, 0, 0.5]) {
  const share = (isNeeded: boolean) => {
    const all = compared.filter((pair) => pair.isNeeded === isNeeded);
    return `${((100 * all.filter(({ odds }) => odds > least).length) / all.length).toFixed(1)} % of ${all.length}`;
  };
  console.log(`  above ${least}: ${share(true)} and ${share(false)}`);
}

const fitted = fitSparse(examplesOf(writers), bias);
const kept = [...fitted]
  .map(([feature, weight]) => [feature, rounded(weight)] as const)
  .filter(([feature, weight]) => weight !== 0 && !namesHost(feature));
const examples = writers.reduce((sum, writer) => sum + writer.rules.length + writer.ordinary.length, 0);
console.log(`\n${examples} sentences, ${kept.length} weights`);
const ours = readWriters(own).reduce((sum, writer) => sum + writer.rules.length + writer.ordinary.length, 0);
const checked = rules.length + ordinary.length;
if (values.write) {
  const lines = [...Map.groupBy(kept, ([, weight]) => weight)]
    .sort(([a], [b]) => b - a)
    .map(([weight, features]) => [weight, ...features.map(([feature]) => feature).sort()].join("|"));
  writeFileSync(new URL("../src/compaction/rules/weights.ts", import.meta.url), sourceOf(lines));
  const replacing = fitPairs(pairs).map(
    (weight, index) => `  ${Number(weight.toFixed(2))}, // ${comparedBy[index]}`,
  );
  writeFileSync(
    new URL("../src/compaction/rules/replacing-weights.ts", import.meta.url),
    replacingSource(replacing),
  );
}

function fitPairs(chosen: readonly Pair[]): number[] {
  return fitLogistic(chosen, comparedBy.length, ridge);
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
      ...writer.rules.map((text) => ({ features: featuresOf(text), isRule: true })),
      ...writer.ordinary.map((text) => ({ features: featuresOf(text), isRule: false })),
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

function rounded(weight: number): number {
  return Math.round(weight * 20) / 20;
}

function replacingSource(lines: readonly string[]): string {
  return `/**
 * How much each feature says that a sentence replaces an earlier rule; the order is that of \`comparedBy\`.
 *
 * Fitted by logistic regression on ${pairs.length} pairs with \`node scripts/fit-rules.ts --write\`, which prints how many
 * corrections are found of conversations that were left out.
 */
export const weights: readonly number[] = [
${lines.join("\n")}
];
`;
}

function sourceOf(lines: readonly string[]): string {
  return `/**
 * How much each feature of a sentence says that it is a rule of the user: a weight, and the features that have it.
 *
 * Fitted by logistic regression on ${examples} sentences; ${ours} of them are in scripts/fit-rules and ${checked} in
 * the tests, the others are from recorded sessions. Fit them again with \`node scripts/fit-rules.ts --write\`, which prints how many rules are found of
 * writers that were left out.
 */
export const weights = \`
${lines.join("\n")}
\`;
`;
}
