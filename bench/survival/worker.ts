import { writeFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { type Cell, type CellResult, runCells } from "./cells.ts";
import type { KilledRun } from "./killed-conversation.ts";
import { type PhaseKill, runKills } from "./kills.ts";
import { loadSystem, versionOf } from "./systems.ts";

/** The work of a process with one system. */
export interface Job {
  id: string;
  cells: readonly Cell[];
  /** The seed of the conversation in which it is killed; absent if it is not. */
  killSeed?: number;
}

export interface JobResult {
  name: string;
  version: string;
  configuration: string;
  durability: string;
  results: CellResult[];
  /** Every story, killed in every phase; still to be compared with the runs without kills. */
  killedStories: KilledRun[];
  /** All stories in one conversation, killed in one phase. */
  phaseKills: PhaseKill[];
  /** Why it was not killed. */
  killProblem?: string;
}

/** Does a job in a process of its own: `node worker.ts OUTPUT`, the job as JSON on stdin. */
const [output = ""] = process.argv.slice(2);
const { id, cells, killSeed } = JSON.parse(await readAll(process.stdin)) as Job;
const system = await loadSystem(id);
const { name, configuration, durability } = system;
// Processes that are killed cannot write what they compiled.
flushCompileCache();
const results = await runCells(system, cells);
const killed = await killedOrNot();
const done: JobResult = {
  name,
  version: versionOf(system),
  configuration,
  durability,
  results,
  ...killed,
};
writeFileSync(output, JSON.stringify(done));
// Some frameworks keep timers running.
process.exit(0);

async function killedOrNot(): Promise<Pick<JobResult, "killedStories" | "phaseKills" | "killProblem">> {
  const none = { killedStories: [], phaseKills: [] };
  if (killSeed === undefined) return none;
  try {
    const { stories, phases } = await runKills(id, system, killSeed);
    return { killedStories: stories, phaseKills: phases };
  } catch (error) {
    return { ...none, killProblem: String(error) };
  }
}

async function readAll(input: NodeJS.ReadStream): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of input) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
