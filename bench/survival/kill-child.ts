import { createInterface } from "node:readline";
import { instructions, toolsOf } from "./run-story.ts";
import { makeStory, type StoryOptions } from "./stories.ts";
import { loadSystem } from "./systems.ts";

/** What the parent tells this process to do. */
export type Command = { send: string } | { edit: string };

export interface ChildOptions extends StoryOptions {
  id: string;
  url: string;
  directory: string;
  /** The process kills itself when this file is read. */
  deadlyFile?: string;
}

/** One system in a process of its own, which can be killed: `node kill-child.ts OPTIONS`, commands on stdin. */
const options = JSON.parse(process.argv[2] ?? "") as ChildOptions;
const { id, url, directory, window, deadlyFile } = options;
const tools = toolsOf(makeStory(options)).map((tool) => ({
  ...tool,
  execute(input: Record<string, string>) {
    if (deadlyFile !== undefined && input.path === deadlyFile) process.kill(process.pid, "SIGKILL");
    return tool.execute(input);
  },
}));
const system = await loadSystem(id);
const running = await system.open({ url, window, instructions, tools, directory, durable: true });
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as Command;
  try {
    if ("send" in command) await running.send(command.send);
    else if (running.edit) await running.edit(command.edit);
    // The user has to say it.
    else await running.send(command.edit);
    console.log("done");
  } catch (error) {
    console.log(`failed: ${String(error).replaceAll("\n", " ")}`);
  }
}
process.exit(0);
