import { flushCompileCache } from "node:module";
import { type KillResult, runKills, storiesFor } from "./kills.ts";
import { runStory, type StoryResult } from "./run-story.ts";
import { loadSystem, versionOf } from "./systems.ts";

export interface SystemResult {
  name: string;
  version: string;
  configuration: string;
  durability: string;
  results: StoryResult[];
  kills: KillResult[];
}

/** Tells every story to a system, without kills and with them: `node worker.ts ID SEED` prints the result as JSON. */
const [id = "", seed = "1"] = process.argv.slice(2);
const system = await loadSystem(id);
const { name, configuration, durability } = system;
// Processes that are killed cannot write what they compiled.
flushCompileCache();
const results = await Promise.all(storiesFor(Number(seed)).map((story) => runStory(system, story)));
const kills = await runKills(id, system, results);
const done: SystemResult = { name, version: versionOf(system), configuration, durability, results, kills };
process.stdout.write(`${JSON.stringify(done)}\n`, () => {
  // Some frameworks keep timers running.
  process.exit(0);
});
