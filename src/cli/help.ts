import { closestName } from "../engine/edit-distance.ts";
import { HoldfastError } from "../errors.ts";
import { hostNames, hosts } from "../hosts/hosts.ts";
import type { Command, HelpText, HostWords } from "./main.ts";

const withSessionFile = hosts.filter(({ sessionFile }) => sessionFile);

const hostWords: HostWords = {
  all: hostNames.join(", "),
  sessionFormats: withSessionFile.map(({ name }) => name),
  withSessionFile: withSessionFile.map(({ title }) => title).join(" or "),
};

/** The formats that `export` writes. */
export const exportFormats: readonly string[] = ["json", ...hostWords.sessionFormats];

/** A command's help, with the names of the hosts filled in. */
export function commandHelp({ usage, summary, options = "" }: Command): {
  usage: string;
  summary: string;
  options: string;
} {
  return { usage: filled(usage), summary: filled(summary), options: filled(options) };
}

function filled(text: HelpText): string {
  return typeof text === "string" ? text : text(hostWords);
}

/** The commands by what someone wants to do. Every command is in one group; a test checks it. */
export const goals: Readonly<Record<string, readonly string[]>> = {
  Start: ["init", "rescue", "doctor", "config", "demo", "chat"],
  Look: ["serve", "sessions", "show", "log", "search"],
  Change: ["continue", "edit", "undo", "pin", "unpin", "project"],
  Keep: ["export", "import", "store", "forget", "uninstall"],
  Build: ["mcp", "hook"],
};

/** The help of `holdfast` itself. */
export function rootHelp(commands: Readonly<Record<string, Command>>): string {
  const grouped = new Set(Object.values(goals).flat());
  const rest = Object.keys(commands).filter((name) => !grouped.has(name));
  const groups = [...Object.entries(goals), ...(rest.length > 0 ? [["More", rest] as const] : [])];
  const sections = groups.map(([goal, names]) =>
    [
      goal,
      ...names.flatMap((name) => {
        const command = commands[name];
        return command ? [`  ${name.padEnd(13)}${commandHelp(command).summary}`] : [];
      }),
    ].join("\n"),
  );
  return `holdfast — working memory for AI agents that survives compaction

Usage: holdfast COMMAND [OPTIONS]

${sections.join("\n\n")}

Examples
  holdfast init                connect the coding agents of this project
  holdfast search "port 5432"  find it in every session, also in what a compaction removed

Options of every command
  --db PATH     the SQLite file (default: in your state folder, or $HOLDFAST_DB)
  --store URL   any store: sqlite:PATH, postgres://… (or $HOLDFAST_STORE)
  --json        print JSON
  --version     print the version

Run "holdfast help COMMAND" for the options of a command.`;
}

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

/** The next step if a command needs the optional AI SDK and it is not installed; undefined for any other error. */
export function missingPackage(error: unknown, command: string): string | undefined {
  const { code, message = "" } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  if (code !== "ERR_MODULE_NOT_FOUND" || !/package '(?:ai|@ai-sdk\/[\w-]+)'/.test(message)) return undefined;
  return `"holdfast ${command}" needs the AI SDK. Run: npm install ai @ai-sdk/openai-compatible`;
}

/** An operating system error, such as a missing file or a full disk. Its message names the path. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === "string";
}
