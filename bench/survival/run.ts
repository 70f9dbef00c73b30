import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { installPeers } from "../peers/install.ts";
import { differenceOf } from "./difference.ts";
import { type Report, renderReport } from "./report.ts";
import { runAll, runResults } from "./run-all.ts";
import { isPeer, systemIds } from "./systems.ts";
import { serialise, writeDocs } from "./write-docs.ts";

/**
 * `npm run bench:survival [-- --seeds 1,2] [--only holdfast,no-memory] [--json FILE]`: drives every
 * system through the same stories and prints what survives. `--write` updates the documentation, `--from FILE` prints
 * an earlier run. `--twice` runs everything but the times a second time, `--compare FILE` once; both fail if a byte of
 * the results differs.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1,2,3" },
    only: { type: "string", default: systemIds.join(",") },
    json: { type: "string" },
    from: { type: "string" },
    write: { type: "boolean", default: false },
    twice: { type: "boolean", default: false },
    compare: { type: "string" },
  },
});
const seeds = values.seeds.split(",").map(Number);
if (seeds.some((seed) => !Number.isInteger(seed)))
  throw new Error(`--seeds takes whole numbers with commas between them, not "${values.seeds}".`);
const ids = values.only.split(",");
for (const id of ids)
  if (!systemIds.includes(id))
    throw new Error(`There is no system "${id}". There are: ${systemIds.join(", ")}.`);

const options = {
  seeds,
  ids,
  peerProblem: !values.from && ids.some(isPeer) ? installPeers() : undefined,
};
if (values.compare !== undefined) {
  const { results } = readReport(values.compare);
  compare(serialise(results), serialise(await runResults(options)));
} else {
  const report = values.from === undefined ? await runAll(options) : readReport(values.from);
  console.log(renderReport(report));
  if (values.json) writeFileSync(values.json, serialise(report));
  if (values.write) writeDocs(report);
  if (values.twice) compare(serialise(report.results), serialise(await runResults(options)));
}

function readReport(path: string): Report {
  return JSON.parse(readFileSync(path, "utf8")) as Report;
}

/** Fails with the first line that differs. */
function compare(before: string, again: string): void {
  const difference = differenceOf(before, again);
  if (difference === undefined) {
    console.error(`The second run has the same results, byte for byte (${again.length} characters of JSON).`);
    return;
  }
  console.error(`The second run has other results:\n${difference}`);
  process.exitCode = 1;
}
