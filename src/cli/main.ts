import { HoldfastError } from "../errors.ts";
import { type Command, type CommandName, commands, isCommand } from "./commands.ts";

/** Each command is a module, loaded when it is called. */
const modules: Readonly<Record<CommandName, () => Promise<{ run(args: string[]): Promise<number> }>>> = {
  init: () => import("./commands/init.ts"),
  doctor: () => import("./commands/doctor.ts"),
  uninstall: async () => ({ run: (await import("./commands/init.ts")).uninstall }),
  config: () => import("./commands/config.ts"),
  sessions: () => import("./commands/sessions.ts"),
  show: () => import("./commands/show.ts"),
  log: () => import("./commands/log.ts"),
  search: () => import("./commands/search.ts"),
  serve: () => import("./commands/serve.ts"),
  continue: () => import("./commands/continue.ts"),
  edit: () => import("./commands/edit.ts"),
  undo: async () => ({ run: (await import("./commands/log.ts")).undo }),
  pin: async () => ({ run: (await import("./commands/pin.ts")).pin }),
  unpin: async () => ({ run: (await import("./commands/pin.ts")).unpin }),
  project: () => import("./commands/project.ts"),
  rescue: () => import("./commands/rescue.ts"),
  store: () => import("./commands/store.ts"),
  forget: () => import("./commands/forget.ts"),
  chat: () => import("./commands/chat.ts"),
  mcp: () => import("./commands/mcp.ts"),
  hook: () => import("./commands/hook.ts"),
};

/** Runs one command; returns the exit code. */
export async function main([name, ...args]: string[]): Promise<number> {
  // Ignore EPIPE (e.g. `holdfast log | head`).
  if (process.stdout.listenerCount("error") === 0) process.stdout.on("error", endOnBrokenPipe);
  if (name === undefined) return attempt("", async () => (await import("./commands/overview.ts")).overview());
  const isHelp = name === "help" || name === "--help" || name === "-h";
  const wanted = isHelp ? args.find((each) => !each.startsWith("-")) : name;
  if (wanted === undefined || wanted === "help") return printHelp();
  if (!isCommand(wanted)) {
    const { suggestionFor } = await import("./help.ts");
    const hint = partOf(wanted) ?? suggestionFor(wanted, Object.keys(commands));
    return fail(
      `There is no command ${JSON.stringify(wanted)}.${hint} Run "holdfast help" to list the commands.`,
    );
  }
  if (isHelp || args.includes("--help") || args.includes("-h")) return printHelp(wanted);
  return attempt(wanted, async () => (await modules[wanted]()).run(args));
}

/** A hint for a word that is part of a command, such as "export" of "store". */
function partOf(word: string): string | undefined {
  const all = Object.entries<Command>(commands);
  const found = all.find(([, { terms = [] }]) => terms.some(([term]) => term.split(" ")[0] === word));
  return found && ` Did you mean ${found[0]} ${word}?`;
}

/** Does the work; a failure that a person can do something about is one line. */
async function attempt(name: CommandName | "", work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const { explainUsageError, isSystemError, missingPackage, suggestionIn } = await import("./help.ts");
    const expected = error instanceof HoldfastError || isSystemError(error);
    const problem = expected
      ? `${(error as Error).message}${suggestionIn(error)}`
      : name === ""
        ? undefined
        : (missingPackage(error, name) ?? explainUsageError(error, name));
    if (problem === undefined) throw error;
    return fail(problem);
  }
}

/** Prints the help of a command, or of `holdfast` itself. */
async function printHelp(name?: CommandName): Promise<number> {
  const { commandHelp, renderHelp, rootHelp } = await import("./help.ts");
  const { printLines } = await import("./terminal/screen.ts");
  printLines((screen) => renderHelp(name === undefined ? rootHelp() : commandHelp(name), screen));
  return 0;
}

async function fail(problem: string): Promise<number> {
  const { printProblem } = await import("./terminal/screen.ts");
  printProblem(problem);
  return 1;
}

function endOnBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
}
