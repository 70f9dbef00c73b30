import { instructions, toolsOf } from "./run-story.ts";
import { makeStory, type StoryOptions } from "./story.ts";
import type { AgentTool, RunningSystem } from "./system.ts";
import { loadSystem } from "./systems.ts";

export interface Conversation {
  story: StoryOptions;
  url: string;
  /** Its name, and where the system keeps what the next process finds. */
  directory: string;
  /** How many processes have had it before. */
  earlierStarts: number;
  /** The process is killed while this file is read: the tool that reads it never returns. */
  deadlyFile?: string;
}

/** An order of the parent. The answer has the number of the call. */
export type Command = { open: Conversation } | { directory: string; send: string };

export interface Answer {
  call?: number;
  failed?: string;
  /** No answer: in this directory's conversation the deadly file is read. */
  halted?: string;
}

/** One system in a process of its own, which is killed while it has several conversations: `node kill-child.ts ID`. */
const [id = ""] = process.argv.slice(2);
const system = await loadSystem(id);
const running = new Map<string, RunningSystem>();
process.on("message", (command: Command & { call: number }) => {
  const { call } = command;
  obey(command).then(
    (done) => answer({ call, ...done }),
    (error: unknown) => answer({ call, failed: String(error) }),
  );
});
answer({});

function answer(message: Answer): void {
  process.send?.(message);
}

async function obey(command: Command): Promise<Answer> {
  if ("open" in command) return open(command.open);
  const conversation = running.get(command.directory);
  if (!conversation) throw new Error(`There is no conversation in ${command.directory}.`);
  await conversation.send(command.send);
  return {};
}

async function open({ story, directory, deadlyFile, ...setting }: Conversation): Promise<Answer> {
  const tools = toolsOf(makeStory(story)).map((tool) => killedIn(tool, directory, deadlyFile));
  const { window } = story;
  const opened = await system.open({ ...setting, window, instructions, tools, directory, durable: true });
  running.set(directory, opened);
  return {};
}

function killedIn(tool: AgentTool, directory: string, deadlyFile: string | undefined): AgentTool {
  return {
    ...tool,
    execute(input) {
      if (deadlyFile === undefined || input.path !== deadlyFile) return tool.execute(input);
      answer({ halted: directory });
      return new Promise<string>(() => {});
    },
  };
}
