/** The deterministic simulation: `node test/sim/run.ts [--seed N] [--seconds S]`. The same seed gives the same run. */
import { parseArgs } from "node:util";
import { simulate } from "./simulate.ts";

const { values } = parseArgs({
  options: { seed: { type: "string" }, seconds: { type: "string", default: "20" } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
console.log(`seed ${seed}`);
const { violation, worlds, kills, compactions, facts } = await simulate(seed, Number(values.seconds) * 1_000);
console.log(`${worlds} worlds, ${kills} kills, ${compactions} compactions, ${facts} acknowledged facts`);
if (violation) {
  console.error(`BROKEN at seed ${violation.seed}, ${violation.scenario}: ${violation.error.message}`);
  console.error(`Repeat it: node test/sim/run.ts --seed ${violation.seed}`);
}
// Killed processes wait forever, so end this one.
process.exit(violation ? 1 : 0);
