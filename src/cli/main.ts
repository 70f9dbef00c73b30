import { HoldfastError } from "../errors.ts";

/** A command: its line in the help, and the file that is loaded when it is called. */
interface Command {
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
  --surfaces A,B           forms of memory: notepad, notes, scratchpad, tasks, results, sessions
  --placement PLACE        where memory stands in the prompt: epoch, system or message
  --db PATH, --store URL   where sessions are kept
  --json                   print events as lines of JSON`;

const commands: Record<string, Command> = {
  chat: {
    usage: "chat [-p PROMPT] [--session ID] [--model MODEL]",
    summary: "talk to a model whose memory survives compaction",
    options: chatOptions,
    load: () => import("./chat.ts"),
  },
  demo: {
    usage: "demo [--fast]",
    summary: "watch a scripted agent keep its notes through compactions",
    load: () => import("./demo.ts"),
  },
  sessions: {
    usage: "sessions [--all]",
    summary: "list the sessions of a store",
    load: () => import("./sessions.ts"),
  },
  log: {
    usage: "log SESSION [--revision N] [--limit N]",
    summary: "show a session's journal, or one entry in full",
    load: () => import("./log.ts"),
  },
  export: {
    usage: "export SESSION [--format json|pi] [--into FILE]",
    summary: "write a session as one JSON document, or back into a pi session file",
    load: () => import("./export.ts"),
  },
  import: {
    usage: "import FILE [--session ID]",
    summary: "make a session from an export or from a pi session file",
    load: () => import("./import.ts"),
  },
  replay: {
    usage: "replay FILE… [--prices FILE]",
    summary: "what memory and clearing would cost and save on recorded sessions",
    load: () => import("./replay.ts"),
  },
};

const help = `holdfast — working memory for AI agents that survives compaction

Usage: holdfast COMMAND [OPTIONS]

${Object.values(commands)
  .map(({ usage, summary }) => `  ${usage.padEnd(48)}${summary}`)
  .join("\n")}

  --db PATH     the SQLite file (default: .holdfast/memory.db, or $HOLDFAST_DB)
  --store URL   any store: sqlite:PATH, jsonl:DIRECTORY, postgres://… (or $HOLDFAST_STORE)
  --json        print JSON
  --version     print the version
`;

/** Runs one command; returns the exit code. */
export async function main([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    console.log(help);
    return name === undefined ? 1 : 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    console.error(`holdfast: there is no command ${JSON.stringify(name)}. Run "holdfast help" to see them.`);
    return 1;
  }
  if (args.includes("--help") || args.includes("-h")) {
    console.log(`Usage: holdfast ${command.usage}\n${command.summary}${command.options ?? ""}`);
    return 0;
  }
  try {
    return await (await command.load()).run(args);
  } catch (error) {
    if (!(error instanceof HoldfastError) && !isUsageError(error)) throw error;
    console.error(`holdfast: ${(error as Error).message}`);
    return 1;
  }
}

function isUsageError(error: unknown): boolean {
  return error instanceof Error && ((error as NodeJS.ErrnoException).code ?? "").startsWith("ERR_PARSE_ARGS");
}
