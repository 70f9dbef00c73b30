import { readFileSync } from "node:fs";
import { contextFromHook, type HookOptions } from "./claude-code.ts";
import { stories } from "./stories.ts";

/** Started with `--import ./planted.ts`: reads the options for each story from stdin, and prints the contexts. */
const { compactions, options } = JSON.parse(readFileSync(0, "utf8")) as {
  compactions: number;
  options: Record<string, HookOptions>;
};
const contexts: Record<string, string> = {};
for (const story of stories)
  contexts[story.id] = await contextFromHook(story, compactions, options[story.id]);
process.stdout.write(JSON.stringify(contexts));
