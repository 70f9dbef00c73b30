import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installPeers } from "../peers/install.ts";
import { allCells, type Cell } from "./cells.ts";
import { renderReport } from "./report.ts";
import { notRun, type Results, type SystemResult, systemResult } from "./results.ts";
import { ownSystems, systemIds } from "./systems.ts";
import type { WorkerResult } from "./worker.ts";

/**
 * `npm run bench:survival [-- --seeds 1,2] [--only holdfast,no-memory] [--json FILE]`: drives every system through the
 * same stories and prints what survives.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    only: { type: "string", default: systemIds.join(",") },
    json: { type: "string" },
  },
});
const seeds = values.seeds.split(",").map(Number);
if (seeds.some((seed) => !Number.isInteger(seed)))
  throw new Error(`--seeds takes whole numbers with commas between them, not "${values.seeds}".`);
const ids = values.only.split(",");
for (const id of ids)
  if (!systemIds.includes(id))
    throw new Error(`There is no system "${id}". There are: ${systemIds.join(", ")}.`);

const directory = mkdtempSync(join(tmpdir(), "holdfast-survival-"));
const concurrency = 2;
const timeout = 480_000;

const problem = ids.some((id) => isPeer(id)) ? installPeers() : undefined;
const systems = await inParallel(ids, (id) => measure(id, allCells(seeds)));
rmSync(directory, { recursive: true, force: true });
const results: Results = { seeds, systems };
console.log(renderReport(results));
if (values.json) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);

function isPeer(id: string): boolean {
  return systemIds.indexOf(id) >= ownSystems;
}

async function measure(id: string, cells: Cell[]): Promise<SystemResult> {
  const unknown = { id, name: id, version: "", configuration: "", durability: "" };
  if (isPeer(id) && problem !== undefined) return notRun(unknown, problem);
  try {
    const { results: done, ...facts } = await runWorker(id, cells);
    return systemResult({ id, ...facts }, done, []);
  } catch (error) {
    return notRun(unknown, error instanceof Error ? error.message : String(error));
  }
}

async function runWorker(id: string, cells: Cell[]): Promise<WorkerResult> {
  const output = join(directory, `${id}.json`);
  const worker = spawn(process.execPath, [join(import.meta.dirname, "worker.ts"), id, output], {
    stdio: ["pipe", "ignore", "pipe"],
    timeout,
  });
  let said = "";
  worker.stderr.on("data", (data: Buffer) => {
    said = (said + data.toString("utf8")).slice(-2_000);
  });
  worker.stdin.end(JSON.stringify(cells));
  const [code, signal] = await new Promise<[number | null, string | null]>((done) =>
    worker.on("close", (...end) => done(end)),
  );
  if (signal) throw new Error(`it was stopped after ${timeout / 60_000} minutes`);
  if (code !== 0)
    throw new Error(/^\w*Error.*$/m.exec(said)?.[0] ?? said.trim().split("\n").at(-1) ?? "it failed");
  return JSON.parse(readFileSync(output, "utf8")) as WorkerResult;
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < items.length; index = next++)
      results[index] = await work(items[index] as T);
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return results;
}
