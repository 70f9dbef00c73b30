import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorIn } from "./error-in.ts";
import { storiesFor } from "./kills.ts";
import { inLanes } from "./lanes.ts";
import type { Report } from "./report.ts";
import { type Results, type SystemResult, systemResult } from "./results.ts";
import type { SpeedResult } from "./speed.ts";
import type { StoryOptions } from "./story.ts";
import { isPeer, storesNothing } from "./systems.ts";
import type { Job, JobResult } from "./worker.ts";

export interface RunOptions {
  seeds: number[];
  ids: readonly string[];
  /** Why the peers cannot be run. */
  peerProblem?: string | undefined;
}

/** Processes at a time. Laptops and runners have at least two cores, and frameworks wait at times. */
const processes = 3;
const timeout = 540_000;
const maxError = 4_000;

export async function runAll(options: RunOptions): Promise<Report> {
  const results = await runResults(options);
  const timed = ["bare", ...options.ids].filter((id) => canRun(id, options));
  // One after another: a busy neighbour would slow what is timed.
  const speed = await inLanes(timed, 1, measureSpeed);
  return { date: new Date().toISOString().slice(0, 10), results, speed: speed.flat() };
}

/** Everything that is the same for the same seeds and versions. */
async function runResults(options: RunOptions): Promise<Results> {
  const { seeds, ids, peerProblem = "" } = options;
  const directory = mkdtempSync(join(tmpdir(), "holdfast-survival-"));
  try {
    // Every process loads a framework; only the first one compiles it.
    const compiled = join(directory, "compiled");
    // Long jobs first, so that no process is left alone with one at the end.
    const jobs = ids
      .filter((id) => canRun(id, options))
      .flatMap((id) => jobsOf(id, options))
      .toSorted((a, b) => lengthOf(b) - lengthOf(a));
    const done = await inLanes(jobs, processes, (job) =>
      runJob(job, join(directory, `${jobs.indexOf(job)}.json`), compiled).catch(asError),
    );
    const systems = ids.map((id) => {
      const parts = done.filter((_, index) => jobs[index]?.id === id);
      return parts.length === 0 ? notRun(unknownSystem(id), peerProblem) : joinParts(id, parts);
    });
    return { seeds, systems };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function canRun(id: string, { peerProblem }: RunOptions): boolean {
  return peerProblem === undefined || !isPeer(id);
}

/** Two jobs for the first seed and one for each of the others, and one for the kills. */
export function jobsOf(id: string, { seeds }: Pick<RunOptions, "seeds">): Job[] {
  const [first = 1, ...others] = seeds;
  const isLong = ({ compactions }: StoryOptions) => compactions === 10;
  return [
    { id, stories: storiesFor(first).filter(isLong) },
    { id, stories: storiesFor(first).filter((story) => !isLong(story)) },
    ...others.map((seed) => ({ id, stories: storiesFor(seed) })),
    { id, stories: [], killSeed: first },
  ];
}

/** How long a job takes, about: compactions. Each process that is started again takes as long as some of them. */
function lengthOf({ stories, killSeed }: Job): number {
  const kills = killSeed === undefined ? 0 : 200;
  return stories.reduce((sum, { compactions }) => sum + compactions, kills);
}

function unknownSystem(id: string) {
  return { id, name: id, version: "", configuration: "", durability: "" };
}

/** One result from the jobs of a system. */
function joinParts(id: string, parts: readonly (JobResult | Error)[]): SystemResult {
  const done: JobResult[] = [];
  for (const part of parts) {
    if (part instanceof Error) return notRun(unknownSystem(id), part.message);
    done.push(part);
  }
  const { results: _results, killed: _killed, ...facts } = Object.assign({}, ...done) as JobResult;
  return systemResult(
    { id, ...facts },
    done.flatMap(({ results }) => results),
    done.flatMap(({ killed }) => killed),
  );
}

async function runJob(job: Job, output: string, compiled: string): Promise<JobResult> {
  const env = { NODE_COMPILE_CACHE: compiled };
  const { code, stderr } = await runScript("worker.ts", [output], { input: JSON.stringify(job), env });
  if (code === null) throw new Error(`it was stopped after ${timeout / 60_000} minutes`);
  if (code !== 0) throw new Error(errorIn(stderr));
  return JSON.parse(readFileSync(output, "utf8")) as JobResult;
}

async function runScript(
  script: string,
  args: string[],
  { input = "", env = {} }: { input?: string; env?: Record<string, string> } = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    timeout,
    env: { ...process.env, ...env },
  });
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
  const { code, stdout, stderr } = await runScript("speed.ts", [id]);
  if (code === 0) return [JSON.parse(stdout) as SpeedResult];
  return stderr.includes(storesNothing) ? [] : [{ name: id, problem: errorIn(stderr) }];
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function notRun(facts: ReturnType<typeof unknownSystem>, problem: string): SystemResult {
  return { ...systemResult(facts, [], []), problem };
}
