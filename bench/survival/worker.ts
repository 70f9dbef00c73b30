import { writeFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import type { KilledRun } from "./killed-conversation.ts";
import { runKills } from "./kills.ts";
import { inLanes } from "./lanes.ts";
import type { SystemFacts } from "./results.ts";
import { runStory, type StoryResult } from "./run-story.ts";
import type { StoryOptions } from "./story.ts";
import { loadSystem, versionOf } from "./systems.ts";

/** The work of a process with one system. */
export interface Job {
  id: string;
  stories: readonly StoryOptions[];
  /** The seed of the stories in which it is killed; absent if it is not. */
  killSeed?: number;
}

export interface JobResult extends SystemFacts {
  results: StoryResult[];
  /** Every story, killed in every phase; still to be compared with the runs without kills. */
  killed: KilledRun[];
}

/** Systems wait at times, for example before they repeat a request; another run may go on meanwhile. */
const lanes = 3;

/** Does a job in a process of its own: `node worker.ts OUTPUT`, the job as JSON on stdin. */
const [output = ""] = process.argv.slice(2);
const { id, stories, killSeed } = JSON.parse(await readAll(process.stdin)) as Job;
const system = await loadSystem(id);
const { name, configuration, durability } = system;
// Processes that are killed cannot write what they compiled.
flushCompileCache();
const results = await inLanes(stories, lanes, (story) => runStory(system, story));
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

async function killedOrNot(): Promise<Pick<JobResult, "killed" | "killProblem">> {
  if (killSeed === undefined) return { killed: [] };
  try {
    return { killed: await runKills(id, system, killSeed) };
  } catch (error) {
    return { killed: [], killProblem: String(error) };
  }
}

async function readAll(input: NodeJS.ReadStream): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of input) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
