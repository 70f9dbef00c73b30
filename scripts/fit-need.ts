/**
 * Fits the weights that rank names by predicted later use, and shows how well they do on sessions they were not fitted
 * on:
 *
 *   node scripts/fit-need.ts FOLDER…            fits, prints the recall table and the weights
 *   node scripts/fit-need.ts --write FOLDER…    and writes them to src/compaction/need/weights.ts
 *   node scripts/fit-need.ts --names FILE FOLDER…
 *                                               counts what another finder calls a name: `namesIn(text)` in a module
 *
 * A folder has recorded sessions (.jsonl) of any host that Holdfast can read. Nothing leaves the machine.
 */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { type FindNames, nameFinder } from "../src/compaction/need/later-use.ts";
import { featureNames } from "../src/compaction/need/score.ts";
import { openMemory } from "../src/index.ts";
import { type Cut, cutSession, readSessions } from "./fit-need/cuts.ts";
import { fitLogistic } from "./fit-need/logistic.ts";
import { recallOf, summarise } from "./fit-need/recall.ts";

/** Keeps the weights of rare features small. */
const ridge = 10;

const keeps = [0, 20_000];
const budgets = [{ tokens: 600 }, { tokens: 1_200 }, { tokens: 2_000 }, { bytes: 8_300 }];

const { values, positionals: paths } = parseArgs({
  options: { write: { type: "boolean" }, names: { type: "string" } },
  allowPositionals: true,
});
if (paths.length === 0) {
  console.error("FOLDER is missing. Usage: node scripts/fit-need.ts [--write] [--names FILE] FOLDER…");
  process.exit(1);
}
const find = values.names === undefined ? undefined : await finderIn(values.names);

const memory = await openMemory({ store: "memory:" });
const state = await (await memory.createSession()).state();
const sessions = await readSessions(paths);
const cuts = new Map<number, Cut[]>();
for (const keep of keeps)
  cuts.set(
    keep,
    [...sessions].flatMap(([name, transcript]) => cutSession(name, transcript, keep, find)),
  );
const all = [...cuts.values()].flat();
const fit = (chosen: readonly Cut[]) =>
  fitLogistic(
    chosen.flatMap(({ rows }) => rows),
    featureNames.length,
    ridge,
  );
const names = [...new Set(all.map(({ session }) => session))];
console.log(
  `${names.length} sessions, ${all.length} cuts, ${all.reduce((sum, { rows }) => sum + rows.length, 0)} names`,
);
const fitted = fit(all);
const without = new Map(names.map((name) => [name, fit(all.filter(({ session }) => session !== name))]));
await memory.close();

const list = find ?? nameFinder();
for (const [keep, chosen] of cuts) {
  const needed = chosen.reduce((sum, cut) => sum + cut.needed.size, 0);
  console.log(
    `\nThe host keeps ${keep === 0 ? "nothing" : `${keep} tokens`}: ${chosen.length} cuts, ${needed} names needed`,
  );
  for (const budget of budgets) {
    const trained = chosen.map((cut) => recallOf(cut, state, budget, fitted, list));
    const unseen = chosen.map((cut) =>
      recallOf(cut, state, budget, without.get(cut.session) ?? fitted, list),
    );
    const size = "bytes" in budget ? `${budget.bytes} bytes` : `${budget.tokens} tokens`;
    console.log(`  ${size.padEnd(12)} fitted on all     ${summarise(trained, "told")}`);
    console.log(`  ${"".padEnd(12)} on unseen         ${summarise(unseen, "told")}`);
    console.log(`  ${"".padEnd(12)} newest names only ${summarise(unseen, "listed")}`);
  }
}

const lines = featureNames.map((name, index) => `  ${Number((fitted[index] ?? 0).toFixed(3))}, // ${name}`);
console.log(`\n${lines.join("\n")}`);
if (values.write) {
  const comment = `/**
 * How much each feature says about whether a name will be used again; the order is that of \`featureNames\`.
 *
 * Fitted by logistic regression on ${names.length} recorded sessions of two coding agents, cut at ${all.length} places, with nothing kept of
 * the conversation and with a tail kept. Fit them again with \`node scripts/fit-need.ts --write FOLDER\`, which prints
 * how many needed names a checkpoint tells in sessions that were left out.
 */`;
  writeFileSync(
    new URL("../src/compaction/need/weights.ts", import.meta.url),
    `${comment}\nexport const weights: readonly number[] = [\n${lines.join("\n")}\n];\n`,
  );
}

async function finderIn(file: string): Promise<FindNames> {
  const { namesIn } = (await import(pathToFileURL(resolve(file)).href)) as { namesIn?: FindNames };
  if (namesIn === undefined) throw new Error(`${file} exports no function namesIn(text).`);
  return namesIn;
}
