import { writeFileSync } from "node:fs";
import { type Cell, type CellResult, runCell } from "./cells.ts";
import { type KillResult, runKills } from "./kills.ts";
import { loadSystem, versionOf } from "./systems.ts";
import { runTranscripts, type TranscriptScore } from "./transcripts.ts";

/** Runs a list of cells with one system in a process of its own: `node worker.ts ID OUTPUT [TRANSCRIPTS]`, cells on stdin. */
const [id = "", output = "", transcripts] = process.argv.slice(2);

export interface WorkerResult {
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

const cells = JSON.parse(await readAll(process.stdin)) as Cell[];
const system = await loadSystem(id);
const results: CellResult[] = [];
for (const cell of cells) results.push(await runCell(system, cell));
const { name, configuration, durability } = system;
const killed = await runKills(id, system).then(
  (kills) => ({ kills }),
  (error: unknown) => ({ kills: [], killProblem: String(error) }),
);
const done: WorkerResult = {
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

async function readAll(input: NodeJS.ReadStream): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of input) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
