import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { installPeers } from "../peers/install.ts";
import { type Report, renderReport } from "./report.ts";
import { runAll } from "./run-all.ts";
import { isPeer, systemIds } from "./systems.ts";

/**
 * `npm run bench:survival [-- --seeds 1,2] [--only holdfast,no-memory] [--json FILE]`: drives every system through the
 * same stories, kills it, and prints what survives and what a turn costs. `--from FILE` prints an earlier run.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    only: { type: "string", default: systemIds.join(",") },
    json: { type: "string" },
    from: { type: "string" },
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
const report: Report =
  values.from === undefined
    ? await runAll(options)
    : (JSON.parse(readFileSync(values.from, "utf8")) as Report);
console.log(renderReport(report));
if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
