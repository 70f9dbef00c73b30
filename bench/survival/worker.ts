import { writeFileSync } from "node:fs";
import { type Cell, type CellResult, runCells } from "./cells.ts";
import { type KillResult, runKills } from "./kills.ts";
import { loadSystem, versionOf } from "./systems.ts";
import { runTranscripts, type TranscriptScore } from "./transcripts.ts";

/** What a process does with one system. */
export interface Job {
  id: string;
  cells: readonly Cell[];
  /** The seed of the conversation in which it is killed; absent if it is not. */
  killSeed?: number;
  /** A folder with recorded conversations. */
  transcripts?: string;
}

export interface JobResult {
  name: string;
  version: string;
  configuration: string;
  durability: string;
  results: CellResult[];
  kills: KillResult[];
  /** Why it was not killed. */
  killProblem?: string;
  transcripts?: TranscriptScore;
}

/** Does a job in a process of its own: `node worker.ts OUTPUT`, the job as JSON on stdin. */
const [output = ""] = process.argv.slice(2);
const { id, cells, killSeed, transcripts } = JSON.parse(await readAll(process.stdin)) as Job;
const system = await loadSystem(id);
const { name, configuration, durability } = system;
const results = await runCells(system, cells);
const killed = killSeed === undefined ? { kills: [] } : await killedOrNot(killSeed);
const done: JobResult = {
  name,
  version: versionOf(system),
  configuration,
  durability,
  results,
  ...killed,
  ...(transcripts === undefined ? {} : { transcripts: await runTranscripts(system, transcripts) }),
};
writeFileSync(output, JSON.stringify(done));
// Some frameworks keep timers running.
process.exit(0);

function killedOrNot(seed: number): Promise<Pick<JobResult, "kills" | "killProblem">> {
  return runKills(id, system, seed).then(
    (done) => ({ kills: done }),
    (error: unknown) => ({ kills: [], killProblem: String(error) }),
  );
}

async function readAll(input: NodeJS.ReadStream): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of input) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
