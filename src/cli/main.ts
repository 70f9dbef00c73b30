import { HoldfastError } from "../errors.ts";
import { type Command, type CommandName, commands, isCommand } from "./commands.ts";

type Run = (args: string[]) => Promise<number>;

/** Each command is a function, whose module is loaded when it is called. */
const loadCommand: Readonly<Record<CommandName, () => Promise<Run>>> = {
  init: async () => (await import("./commands/init.ts")).init,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  uninstall: async () => (await import("./commands/init.ts")).uninstall,
  config: async () => (await import("./commands/config.ts")).config,
  sessions: async () => (await import("./commands/sessions.ts")).sessions,
  show: async () => (await import("./commands/show.ts")).show,
  log: async () => (await import("./commands/log.ts")).log,
  search: async () => (await import("./commands/search.ts")).search,
  serve: async () => (await import("./commands/serve.ts")).serve,
  continue: async () => (await import("./commands/continue.ts")).continueSession,
  edit: async () => (await import("./commands/edit.ts")).edit,
  undo: async () => (await import("./commands/log.ts")).undo,
  pin: async () => (await import("./commands/pin.ts")).pin,
  unpin: async () => (await import("./commands/pin.ts")).unpin,
  project: async () => (await import("./commands/project.ts")).project,
  rescue: async () => (await import("./commands/rescue.ts")).rescue,
  store: async () => (await import("./commands/store.ts")).store,
  forget: async () => (await import("./commands/forget.ts")).forget,
  chat: async () => (await import("./commands/chat.ts")).chat,
  mcp: async () => (await import("./commands/mcp.ts")).mcp,
  hook: async () => (await import("./commands/hook.ts")).hook,
};

/** Runs one command; returns the exit code. */
export async function main([name, ...args]: string[]): Promise<number> {
  if (process.stdout.listenerCount("error") === 0) process.stdout.on("error", endWithoutOutput);
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
  return attempt(wanted, async () => (await loadCommand[wanted]())(args));
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

/** The reader may have had enough (`holdfast log | head`), or the disk is full. */
function endWithoutOutput({ code, message }: NodeJS.ErrnoException): never {
  if (code === "EPIPE") process.exit(0);
  process.stderr.write(
    `holdfast: The output cannot be written: ${message}. Free some space, or write it to another place.\n`,
  );
  process.exit(1);
}
