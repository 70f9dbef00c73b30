import { closestName } from "../engine/edit-distance.ts";
import { HoldfastError } from "../errors.ts";

/** Rewords an argument parser's error; undefined for any other error. */
export function explainUsageError(error: unknown, command: string, help: string): string | undefined {
  const { code = "", message = "" } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  if (!code.startsWith("ERR_PARSE_ARGS")) return undefined;
  const [, unknown] = code === "ERR_PARSE_ARGS_UNKNOWN_OPTION" ? (/'(-[^']*)'/.exec(message) ?? []) : [];
  const next = `Run "holdfast ${command} --help" to see its options.`;
  const [, ambiguous] = message.includes(" is ambiguous")
    ? (/^Option '(?:-\w, )?(--[^' ]*)/.exec(message) ?? [])
    : [];
  if (ambiguous !== undefined)
    return `${ambiguous} needs a value, but the next argument starts with a dash. If that is the value, write ${ambiguous}=VALUE. ${next}`;
  if (unknown === undefined) return `${message.replace(/\.?$/, ".")} ${next}`;
  const hint = suggestionFor(unknown, optionsIn(help));
  return `"holdfast ${command}" has no option ${unknown}.${hint} ${next}`;
}

/** The long options in a command's help, plus those that every command takes. */
export function optionsIn(help: string): string[] {
  const named = [...help.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option);
  return [...new Set([...named, "--db", "--store", "--json", "--help"])];
}

/** " Did you mean show?", or "" if nothing is near. */
export function suggestionFor(name: string, known: readonly string[]): string {
  const nearest = closestName(name, known);
  return nearest === undefined ? "" : ` Did you mean ${nearest}?`;
}

/** A suggestion for an error that names what was given and what is known. */
export function suggestionIn(error: unknown): string {
  const { given, known } = error instanceof HoldfastError ? error.data : {};
  return typeof given === "string" && Array.isArray(known) ? suggestionFor(given, known.map(String)) : "";
}

/** An operating system error, such as a missing file or a full disk. Its message names the path. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === "string";
}
