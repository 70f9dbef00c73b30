import { HoldfastError } from "../errors.ts";
import { projectCommand } from "./commands/project-command.ts";
import { peopleCommands } from "./people-commands.ts";

/** A command: its line in the help, and the file that is loaded when it is called. */
export interface Command {
  usage: string;
  summary: string;
  /** What its options mean, for `--help`. */
  options?: string;
  load: () => Promise<{ run(args: string[]): Promise<number> }>;
}

const chatOptions = `
  -p, --prompt PROMPT      ask one thing, print the answer and exit
  --session ID             go on with a session, or begin one of that name
  --model MODEL            ollama:NAME, lmstudio:NAME, anthropic:NAME, openai:NAME, google:NAME (or $HOLDFAST_MODEL)
  --base-url URL           any OpenAI-compatible server; MODEL is its model's name (or $HOLDFAST_BASE_URL)
  --context-window N       tokens that the model can take
  --surfaces A,B           forms of memory: notepad, notes, scratchpad, tasks, results, sessions, knowledge,
                           project, sandbox
  --placement PLACE        where memory stands in the prompt: epoch, system or message
  --db PATH, --store URL   where sessions are kept
  --json                   print events as lines of JSON`;

const initOptions = `
  HOST                     claude-code, codex, opencode, gemini, pi, openclaw; those that are here unless named
  --user                   for all your projects, not only this one
  --dry-run                show what would change, and change nothing
  --json                   print JSON`;

const doctorOptions = `
  HOST                     claude-code, codex, opencode, gemini, pi, openclaw; those that are here unless named
  --live                   also run the real client against a scripted model on this machine
  --json                   print JSON`;

export const commands: Record<string, Command> = {
  chat: {
    usage: "chat [-p PROMPT] [--session ID] [--model MODEL]",
    summary: "talk to a model whose memory survives compaction",
    options: chatOptions,
    load: () => import("./commands/chat.ts"),
  },
  demo: {
    usage: "demo [--fast]",
    summary: "watch a scripted agent keep its notes through compactions",
    options: `
  --fast                   without pauses`,
    load: () => import("./demo/demo.ts"),
  },
  init: {
    usage: "init [HOST…] [--user] [--dry-run]",
    summary: "plug into the coding agents that are here",
    options: initOptions,
    load: () => import("./commands/init.ts"),
  },
  uninstall: {
    usage: "uninstall [HOST…] [--user] [--dry-run]",
    summary: "put back what init has changed",
    options: initOptions,
    load: () => import("./commands/uninstall.ts"),
  },
  doctor: {
    usage: "doctor [HOST…] [--live]",
    summary: "prove that memory reaches each coding agent",
    options: doctorOptions,
    load: () => import("./commands/doctor.ts"),
  },
  serve: {
    usage: "serve [--port N] [--no-open] [--demo]",
    summary: "watch and edit the memory in a page; the same over HTTP and MCP",
    options: `
  --port N                 this port and no other; 4747 or the next free one unless given
  --host ADDRESS           listen there instead of on loopback; needs --token
  --token TOKEN            your own token of at least 16 characters (or $HOLDFAST_TOKEN); random unless given
  --no-open                do not open a browser
  --demo                   in an empty store: a scripted agent at work, beside one that has finished
  --db PATH, --store URL   where sessions are kept; for --demo a temporary file unless given`,
    load: () => import("./commands/serve.ts"),
  },
  mcp: {
    usage: "mcp [--surfaces A,B] [--session ID] [--cost]",
    summary: "serve the memory to an agent over MCP on stdio",
    options: `
  --surfaces A,B           forms of memory; notepad and notes unless given, with project where there is a NOTES.md
  --session ID             always this session; that of the host which starts the server unless given
  --cost                   print what each surface's tool definitions cost in tokens, and exit
  --db PATH, --store URL   where sessions are kept`,
    load: () => import("./commands/mcp.ts"),
  },
  ...peopleCommands,
  hook: {
    usage: "hook HOST",
    summary: "answer an event of a coding agent (called by the agent, JSON on stdin)",
    load: () => import("./commands/hook.ts"),
  },
  project: projectCommand,
  replay: {
    usage: "replay FILE… [--prices FILE]",
    summary: "what memory and clearing would cost and save on recorded sessions",
    options: `
  FILE                     a transcript of Claude Code or pi
  --prices FILE            prices of your own, as JSON
  --notepad-tokens N       how long the notepad is assumed to be
  --edit-every N           calls between two edits of it
  --edit-tokens N          tokens that an edit replaces
  --fold-after MINUTES     idle minutes after which changes are folded in; 0 for never
  --context-window N       tokens that the model takes
  --json                   print JSON`,
    load: () => import("./commands/replay.ts"),
  },
};

const help = `holdfast — working memory for AI agents that survives compaction

Usage: holdfast COMMAND [OPTIONS]

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(13)}${summary}`)
  .join("\n")}

  --db PATH     the SQLite file (default: .holdfast/memory.db, or $HOLDFAST_DB)
  --store URL   any store: sqlite:PATH, jsonl:DIRECTORY, postgres://… (or $HOLDFAST_STORE)
  --json        print JSON
  --version     print the version

"holdfast COMMAND --help" says more about a command.
`;

/** Runs one command; returns the exit code. */
export async function main([name, ...args]: string[]): Promise<number> {
  // Whoever reads may stop when they have seen enough, as `head` does.
  if (process.stdout.listenerCount("error") === 0) process.stdout.on("error", endOnBrokenPipe);
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    console.log(help);
    return name === undefined ? 1 : 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    const { nearestName } = await import("./usage-errors.ts");
    const nearest = nearestName(name, Object.keys(commands));
    const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
    console.error(
      `holdfast: there is no command ${JSON.stringify(name)}.${hint} Run "holdfast help" to see them.`,
    );
    return 1;
  }
  const commandHelp = `${command.usage}\n${command.summary}${command.options ?? ""}`;
  if (args.includes("--help") || args.includes("-h")) {
    console.log(`Usage: holdfast ${commandHelp}`);
    return 0;
  }
  try {
    return await (await command.load()).run(args);
  } catch (error) {
    const { explainUsageError, isSystemError } = await import("./usage-errors.ts");
    const expected = error instanceof HoldfastError || isSystemError(error);
    const problem = expected ? (error as Error).message : explainUsageError(error, name, commandHelp);
    if (problem === undefined) throw error;
    const { visibleText } = await import("./terminal/visible-text.ts");
    console.error(`holdfast: ${visibleText(problem)}`);
    return 1;
  }
}

function endOnBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
}
