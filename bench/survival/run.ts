import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { installPeers } from "../peers/install.ts";
import { allCells, type Cell } from "./cells.ts";
import { errorIn } from "./error-in.ts";
import { type Report, renderReport } from "./report.ts";
import { notRun, type SystemResult, systemResult } from "./results.ts";
import { measureRetrieval } from "./retrieval.ts";
import type { SpeedResult } from "./speed.ts";
import { ownSystems, storesNothing, systemIds } from "./systems.ts";
import type { WorkerResult } from "./worker.ts";
import { serialise, writeDocs } from "./write-docs.ts";

/**
 * `npm run bench:survival [-- --seeds 1,2] [--only holdfast,no-memory] [--json FILE] [--transcripts FOLDER]`: drives every
 * system through the same stories and prints what survives. `--write` updates the documentation, `--from FILE` prints
 * an earlier run.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    only: { type: "string", default: systemIds.join(",") },
    json: { type: "string" },
    transcripts: { type: "string", default: process.env.HOLDFAST_TRANSCRIPTS ?? "" },
    from: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const seeds = values.seeds.split(",").map(Number);
if (seeds.some((seed) => !Number.isInteger(seed)))
  throw new Error(`--seeds takes whole numbers with commas between them, not "${values.seeds}".`);
const ids = values.only.split(",");
for (const id of ids)
  if (!systemIds.includes(id))
    throw new Error(`There is no system "${id}". There are: ${systemIds.join(", ")}.`);

/** Recorded conversations never leave the folder that they are in. */
const transcripts = values.transcripts === "" ? [] : [resolve(values.transcripts)];
const directory = mkdtempSync(join(tmpdir(), "holdfast-survival-"));
const concurrency = 2;
const timeout = 540_000;
const maxError = 4_000;

const problem = !values.from && ids.some((id) => isPeer(id)) ? installPeers() : undefined;
const report = values.from ? (JSON.parse(readFileSync(values.from, "utf8")) as Report) : await runAll();
rmSync(directory, { recursive: true, force: true });
console.log(renderReport(report));
if (values.json) writeFileSync(values.json, serialise(report));
if (values.write) writeDocs(report);

async function runAll(): Promise<Report> {
  const systems = await inParallel(ids, concurrency, (id) => measure(id, allCells(seeds)));
  const retrieval = await measureRetrieval(seeds[0] ?? 1);
  // One after another: a busy neighbour would slow what is timed.
  const speed = await inParallel(["bare", ...ids], 1, measureSpeed);
  return {
    date: new Date().toISOString().slice(0, 10),
    results: { seeds, retrieval, systems },
    speed: speed.flat(),
  };
}

function isPeer(id: string): boolean {
  return systemIds.indexOf(id) >= ownSystems;
}

async function measure(id: string, cells: Cell[]): Promise<SystemResult> {
  const unknown = { id, name: id, version: "", configuration: "", durability: "" };
  if (isPeer(id) && problem !== undefined) return notRun(unknown, problem);
  try {
    const { results: done, kills, ...facts } = await runWorker(id, cells);
    return systemResult({ id, ...facts }, done, kills);
  } catch (error) {
    return notRun(unknown, error instanceof Error ? error.message : String(error));
  }
}

async function runWorker(id: string, cells: Cell[]): Promise<WorkerResult> {
  const output = join(directory, `${id}.json`);
  const { code, stderr } = await runScript("worker.ts", [id, output, ...transcripts], JSON.stringify(cells));
  if (code === null) throw new Error(`it was stopped after ${timeout / 60_000} minutes`);
  if (code !== 0) throw new Error(errorIn(stderr));
  return JSON.parse(readFileSync(output, "utf8")) as WorkerResult;
}

async function runScript(
  script: string,
  args: string[],
  input = "",
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], { timeout });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (data: Buffer) => {
    stdout += data.toString("utf8");
  });
  child.stderr.on("data", (data: Buffer) => {
    stderr = `${stderr}${data.toString("utf8")}`.slice(0, maxError);
  });
  child.stdin.end(input);
  const code = await new Promise<number | null>((done) => child.on("close", done));
  // Frameworks write notices to stdout, too; the result is the last line.
  return { code, stdout: stdout.trim().split("\n").at(-1) ?? "", stderr };
}

/** Nothing for a system that stores nothing itself. */
async function measureSpeed(id: string): Promise<SpeedResult[]> {
  if (isPeer(id) && problem !== undefined) return [];
  const { code, stdout, stderr } = await runScript("speed.ts", [id]);
  if (code === 0) return [JSON.parse(stdout) as SpeedResult];
  return stderr.includes(storesNothing) ? [] : [{ name: id, problem: errorIn(stderr) }];
}

async function inParallel<T, R>(
  items: readonly T[],
  lanes: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < items.length; index = next++)
      results[index] = await work(items[index] as T);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
