import { withinEdits } from "../surfaces/notes/words.ts";

/** A parser's complaint in our words; undefined for any other error. */
export function explainUsageError(error: unknown, command: string, help: string): string | undefined {
  const { code = "", message = "" } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  if (!code.startsWith("ERR_PARSE_ARGS")) return undefined;
  const [, unknown] = code === "ERR_PARSE_ARGS_UNKNOWN_OPTION" ? (/'(-[^']*)'/.exec(message) ?? []) : [];
  const next = `Run "holdfast ${command} --help" to see its options.`;
  const [, unclear] = /^Option '(?:-\w, )?(--[^' ]*).* is ambiguous/.exec(message) ?? [];
  if (unclear !== undefined)
    return `${unclear} needs a value, and what follows it begins with a dash. If that is the value, write ${unclear}=VALUE. ${next}`;
  if (unknown === undefined) return `${message.replace(/\.?$/, ".")} ${next}`;
  const nearest = nearestName(unknown, optionsIn(help));
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  return `"holdfast ${command}" has no option ${unknown}.${hint} ${next}`;
}

/** The long options that a command's help names, with those that every command takes. */
export function optionsIn(help: string): string[] {
  const named = [...help.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option);
  return [...new Set([...named, "--db", "--store", "--json", "--help"])];
}

export function nearestName(name: string, known: readonly string[]): string | undefined {
  const begun = known.find((each) => name.length >= 4 && (each.startsWith(name) || name.startsWith(each)));
  if (begun !== undefined) return begun;
  for (const edits of [1, 2, 3]) {
    const near = known.find((each) => withinEdits(name, each, edits) && edits < each.length / 2);
    if (near !== undefined) return near;
  }
  return undefined;
}

/** What the operating system refused: a file that is not there, a full disk. Its message names the path. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === "string";
}
