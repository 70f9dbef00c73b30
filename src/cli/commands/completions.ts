import { HoldfastError } from "../../errors.ts";
import { openMemoryToRead } from "../../workspace/read-memory.ts";
import { readArguments } from "../arguments.ts";
import { commandHelp } from "../command-help.ts";
import { bashScript, fishScript, powershellScript, zshScript } from "../completion-scripts.ts";
import { commands } from "../main.ts";
import { optionsIn } from "../usage-errors.ts";

/** What a shell can complete for one command. */
export interface Completion {
  name: string;
  summary: string;
  options: string[];
  /** Its argument is a session. */
  takesSession: boolean;
  /** Its arguments are coding agents. */
  takesHost: boolean;
}

/** More would not fit on a screen. */
const maxSessions = 100;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {});
  const [shell = ""] = positionals;
  if (shell === "sessions") return listSessions(values);
  const scripts: Record<string, (completions: Completion[]) => string> = {
    bash: bashScript,
    zsh: zshScript,
    fish: fishScript,
    powershell: powershellScript,
  };
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (!script) {
    throw new HoldfastError(
      "invalid_input",
      `There are completions for bash, zsh, fish and powershell${shell === "" ? "" : ` (got ${JSON.stringify(shell)})`}. Usage: holdfast completions bash|zsh|fish|powershell`,
      { data: { given: shell, known: Object.keys(scripts) } },
    );
  }
  const known = Object.entries(commands).map(([name, command]): Completion => {
    const { usage, summary, options } = commandHelp(command);
    return {
      name,
      summary,
      options: optionsIn(`${usage}\n${options}`),
      takesSession: /\bSESSION\b/.test(usage),
      takesHost: /\bHOST\b/.test(usage),
    };
  });
  process.stdout.write(script(known));
  return 0;
}

/** Called by the scripts while the user types: prints only ids, and never an error. */
async function listSessions(values: {
  db?: string | undefined;
  store?: string | undefined;
}): Promise<number> {
  try {
    const memory = await openMemoryToRead({ flags: values });
    const sessions = await memory.listSessions({ status: "all", limit: maxSessions });
    process.stdout.write(sessions.map(({ id }) => `${id}\n`).join(""));
    await memory.close();
  } catch {
    // An error message would land in the middle of the user's command line.
  }
  return 0;
}
