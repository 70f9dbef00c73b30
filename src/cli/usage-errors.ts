import { closestName } from "../engine/edit-distance.ts";

/** Rewords an argument parser's error; undefined for any other error. */
export function explainUsageError(error: unknown, command: string, help: string): string | undefined {
  const { code = "", message = "" } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  if (!code.startsWith("ERR_PARSE_ARGS")) return undefined;
  const [, unknown] = code === "ERR_PARSE_ARGS_UNKNOWN_OPTION" ? (/'(-[^']*)'/.exec(message) ?? []) : [];
  const next = `Run "holdfast ${command} --help" to see its options.`;
  const [, ambiguous] = /^Option '(?:-\w, )?(--[^' ]*).* is ambiguous/.exec(message) ?? [];
  if (ambiguous !== undefined)
    return `${ambiguous} needs a value, but the next argument starts with a dash. If that is the value, write ${ambiguous}=VALUE. ${next}`;
  if (unknown === undefined) return `${message.replace(/\.?$/, ".")} ${next}`;
  const nearest = closestName(unknown, optionsIn(help));
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  return `"holdfast ${command}" has no option ${unknown}.${hint} ${next}`;
}

/** The long options in a command's help, plus those that every command takes. */
export function optionsIn(help: string): string[] {
  const named = [...help.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option);
  return [...new Set([...named, "--db", "--store", "--json", "--help"])];
}

/** An operating system error, such as a missing file or a full disk. Its message names the path. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === "string";
}
