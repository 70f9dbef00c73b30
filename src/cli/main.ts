import { HoldfastError } from "../errors.ts";
import { peopleCommands } from "./people-commands.ts";

/** What the help says about the hosts. */
export interface HostWords {
  /** The names of all hosts. */
  all: string;
  /** The names of those whose session files can be imported and exported, and their titles. */
  sessionFormats: readonly string[];
  withSessionFile: string;
}

/** A text of the help. One that names hosts is made when it is shown, so that a command loads no host for it. */
export type HelpText = string | ((words: HostWords) => string);

/** A command: its help text, and its module, which is loaded on demand. */
export interface Command {
  usage: HelpText;
  summary: HelpText;
  /** Descriptions of the options, for `--help`. */
  options?: HelpText;
  load: () => Promise<{ run(args: string[]): Promise<number> }>;
}

const chatOptions = `
  -p, --prompt PROMPT      send one prompt, print the answer and exit
  --session ID             continue this session, or start it if it does not exist
  --model MODEL            ollama:NAME, lmstudio:NAME, anthropic:NAME, openai:NAME, google:NAME (or $HOLDFAST_MODEL)
  --base-url URL           any OpenAI-compatible server; MODEL is then just the name (or $HOLDFAST_BASE_URL)
  --context-window N       the model's context window in tokens
  --surfaces A,B           surfaces to enable: notepad, notes, pins, scratchpad, tasks, results, sessions, knowledge,
                           project, sandbox
  --placement PLACE        where memory goes in the prompt: epoch, system or message
  --compact-at SHARE       compact when this share of the window is used (default: 0.8)
  --keep SHARE             share of the window kept for the newest messages (default: 0.25)
  --nudge WHEN[=N]         remind the model of its memory: after-turns=N, on-plan-detected, after-compaction
                           or turns-since-last-use=N
  --set NAME=VALUE         any other setting, as "holdfast config" lists them
  --db PATH, --store URL   where sessions are stored
  --json                   print events as JSON lines`;

const hostOptions: HelpText = ({ all }) => `
  HOST                     ${all} (default: those found here)
  --user                   in your own files, for all your projects (default of init; uninstall looks at both)
  --project                in the files of this project, for everyone who uses it
  --dry-run                show what would change, without changing anything
  --diff                   show the changes line by line
  --json                   print JSON`;

const initOptions: HelpText = (words) => `${filled(hostOptions, words)}
  --surfaces A,B           the surfaces to offer, written to your own config, or to holdfast.json with --project
  --npx                    --project with "npx holdfast" instead of paths of this machine, for files that you commit`;

const doctorOptions: HelpText = ({ all }) => `
  HOST                     ${all} (default: those found here)
  --live                   also run the real client against a scripted model on this machine
  --json                   print JSON`;

function filled(text: HelpText, words: HostWords): string {
  return typeof text === "string" ? text : text(words);
}

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
  --fast                   no pauses`,
    load: () => import("./demo/demo.ts"),
  },
  init: {
    usage: "init [HOST…] [--project] [--npx] [--surfaces A,B] [--dry-run]",
    summary: "connect to the coding agents found here",
    options: initOptions,
    load: () => import("./commands/init.ts"),
  },
  uninstall: {
    usage: "uninstall [HOST…] [--user | --project] [--dry-run]",
    summary: "undo the changes made by init",
    options: hostOptions,
    load: () => import("./commands/uninstall.ts"),
  },
  doctor: {
    usage: "doctor [HOST…] [--live]",
    summary: "verify that memory reaches each coding agent",
    options: doctorOptions,
    load: () => import("./commands/doctor.ts"),
  },
  serve: {
    usage: "serve [--port N] [--no-open] [--demo]",
    summary: "watch and edit memory in the browser; also serves HTTP and MCP",
    options: `
  --port N                 listen on exactly this port (default: 4747, or the next free port)
  --host ADDRESS           listen on this address instead of loopback; requires a token
  --token TOKEN            your own token, at least 16 characters (or $HOLDFAST_TOKEN; default: the one kept for the store)
  --token-file FILE        read the token from this file
  --no-open                do not open a browser
  --set NAME=VALUE         any setting, as "holdfast config" lists them
  --demo                   fill an empty store with a finished session and a scripted agent at work
  --db PATH, --store URL   where sessions are stored (default for --demo: a temporary file)`,
    load: () => import("./commands/serve.ts"),
  },
  config: {
    usage: "config [schema] [--changed]",
    summary: "show every setting, its value and where it comes from",
    options: `
  schema                   print the JSON Schema of holdfast.json
  --changed                only what is not the default
  --set NAME=VALUE         as if this were set
  --db PATH, --store URL   where sessions are stored
  --json                   print JSON`,
    load: () => import("./commands/config.ts"),
  },
  mcp: {
    usage: "mcp [--surfaces A,B] [--session ID] [--cost]",
    summary: "serve memory to an agent over MCP on stdio",
    options: `
  --surfaces A,B           surfaces to enable (default: notepad,notes,pins, and project if there is a NOTES.md)
  --session ID             always use this session (default: the session of the host that starts the server)
  --set NAME=VALUE         any setting, as "holdfast config" lists them
  --cost                   print the token cost of each surface's tool definitions and exit
  --db PATH, --store URL   where sessions are stored`,
    load: () => import("./commands/mcp.ts"),
  },
  ...peopleCommands,
  hook: {
    usage: "hook HOST",
    summary: "handle a coding agent's event (called by the agent, JSON on stdin)",
    load: () => import("./commands/hook.ts"),
  },
};

/** Runs one command; returns the exit code. */
export async function main([name, ...args]: string[]): Promise<number> {
  // Ignore EPIPE (e.g. `holdfast log | head`).
  if (process.stdout.listenerCount("error") === 0) process.stdout.on("error", endOnBrokenPipe);
  if (name === undefined) return welcomeOrHelp();
  if (name === "--help" || name === "-h") return printRootHelp(0);
  if (name === "help") {
    const [wanted, ...rest] = args.filter((each) => !each.startsWith("-"));
    return wanted === undefined ? printRootHelp(0) : main([wanted, ...rest, "--help"]);
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    const { suggestionFor } = await import("./help.ts");
    const hint = suggestionFor(name, Object.keys(commands));
    return fail(
      `there is no command ${JSON.stringify(name)}.${hint} Run "holdfast help" to list the commands.`,
    );
  }
  if (args.includes("--help") || args.includes("-h")) {
    await print(`Usage: holdfast ${await fullHelp(command)}`);
    return 0;
  }
  try {
    return await (await command.load()).run(args);
  } catch (error) {
    const { explainUsageError, isSystemError, missingPackage, suggestionIn } = await import("./help.ts");
    const expected = error instanceof HoldfastError || isSystemError(error);
    const problem = expected
      ? `${(error as Error).message}${suggestionIn(error)}`
      : (missingPackage(error, name) ?? explainUsageError(error, name, await fullHelp(command)));
    if (problem === undefined) throw error;
    return fail(problem);
  }
}

/** Without a command: someone at a terminal is shown the next step, a script gets the help. */
async function welcomeOrHelp(): Promise<number> {
  const { isAtTerminal } = await import("./terminal/ask.ts");
  if (!isAtTerminal()) return printRootHelp(1);
  const { run } = await import("./welcome.ts");
  return run();
}

async function printRootHelp(code: number): Promise<number> {
  const { rootHelp } = await import("./help.ts");
  await print(rootHelp(commands));
  return code;
}

/** Prints help, wrapped between words. */
async function print(text: string): Promise<void> {
  const [{ renderHelp }, { printLines, screenOf }] = await Promise.all([
    import("./terminal/render-help.ts"),
    import("./terminal/screen.ts"),
  ]);
  printLines(renderHelp(text, screenOf()));
}

/** Prints an error, wrapped between words; returns the exit code. */
async function fail(problem: string): Promise<number> {
  const [{ visibleText }, { screenOf }, { wrapSpans }] = await Promise.all([
    import("./terminal/visible-text.ts"),
    import("./terminal/screen.ts"),
    import("./terminal/wrap-text.ts"),
  ]);
  const screen = screenOf(process.stderr);
  const lines = `holdfast: ${visibleText(problem)}`
    .split("\n")
    .flatMap((text, index) => wrapSpans([{ text }], "", index === 0 ? "  " : "", screen));
  process.stderr.write(`${lines.join("\n")}\n`);
  return 1;
}

async function fullHelp(command: Command): Promise<string> {
  const { commandHelp } = await import("./help.ts");
  const { usage, summary, options } = commandHelp(command);
  return `${usage}\n\n${summary.charAt(0).toUpperCase()}${summary.slice(1)}.\n${options}`;
}

function endOnBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
}
