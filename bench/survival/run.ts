import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { installPeers } from "../peers/install.ts";
import { errorIn } from "./kill-host.ts";
import { type NotRun, renderReport } from "./report.ts";
import type { SpeedResult } from "./speed.ts";
import { isPeer, storesNothing, systemIds } from "./systems.ts";
import type { SystemResult } from "./worker.ts";

/**
 * `npm run bench:survival [-- --seed 1] [--only holdfast,no-memory]`: drives every system through the same stories, kills
 * it, and prints what survives, what a turn costs, and how fast its store is.
 */
const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, only: { type: "string", default: systemIds.join(",") } },
});
const { seed } = values;
if (!/^\d+$/.test(seed)) throw new Error(`--seed takes a whole number, not "${seed}".`);
const ids = values.only.split(",");
for (const id of ids)
  if (!systemIds.includes(id))
    throw new Error(`There is no system "${id}". There are: ${systemIds.join(", ")}.`);
const peerProblem = ids.some(isPeer) ? installPeers() : undefined;

/** Every process loads a framework; only the first one compiles it. */
const compiled = mkdtempSync(join(tmpdir(), "holdfast-survival-"));
const minutes = 9;

/** The last line that a script prints; frameworks write notices before it. */
async function runScript<T>(script: string, id: string): Promise<T | NotRun> {
  if (peerProblem !== undefined && isPeer(id)) return { name: id, problem: peerProblem };
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(import.meta.dirname, script), id, seed],
      {
        env: { ...process.env, NODE_COMPILE_CACHE: compiled },
        timeout: minutes * 60_000,
        maxBuffer: 64 * 1024 * 1024,
      },
    );
    return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as T;
  } catch (error) {
    const { killed, stderr = "" } = error as { killed?: boolean; stderr?: string };
    return { name: id, problem: killed ? `it was stopped after ${minutes} minutes` : errorIn(stderr) };
  }
}

/** Laptops and runners have at least two cores, and frameworks wait at times. */
const processes = 3;
const systems: (SystemResult | NotRun)[] = [];
const waiting = [...ids.entries()];
const runWaiting = async () => {
  for (let next = waiting.shift(); next; next = waiting.shift())
    systems[next[0]] = await runScript<SystemResult>("worker.ts", next[1]);
};
try {
  await Promise.all(Array.from({ length: processes }, runWaiting));
  const speed: (SpeedResult | NotRun)[] = [];
  // One after another: a busy neighbor would slow what is timed.
  for (const id of ["bare", ...ids]) speed.push(await runScript<SpeedResult>("speed.ts", id));
  const timed = speed.filter((result) => !("problem" in result && result.problem.includes(storesNothing)));
  console.log(
    `Run on ${new Date().toISOString().slice(0, 10)}, seed ${seed}.\n\n${renderReport(systems, timed)}`,
  );
} finally {
  rmSync(compiled, { recursive: true, force: true });
}
