import { closestName } from "../engine/options.ts";
import { HoldfastError } from "../errors.ts";
import { docsLink } from "../workspace/package.ts";
import { usageOf } from "./arguments.ts";
import { type Command, type CommandName, commands, groups } from "./commands.ts";
import type { Screen } from "./terminal/screen.ts";
import { textWidth, wrapLine } from "./terminal/wrap-text.ts";

/** A term and its meaning. */
type Row = readonly [term: string, text: string];

/** A part of a help: a paragraph, or rows under a title. */
export type Part = string | { title?: string; rows: readonly Row[] };

/** The help of `holdfast` itself. */
export function rootHelp(): Part[] {
  return [
    "holdfast — working memory for AI agents that survives compaction",
    "Usage: holdfast COMMAND [OPTIONS]",
    ...Object.entries(groups).map(([title, names]) => ({
      title,
      rows: names.map((name): Row => [name, commands[name].about]),
    })),
    {
      title: "Examples",
      rows: [
        ["holdfast init", "connect your coding agents, for all your projects"],
        ["holdfast", "show the memory of this project"],
        ['holdfast search "port 5432"', "find it, also in removed messages"],
      ],
    },
    {
      rows: [
        ["holdfast help COMMAND", "the options of a command, with examples"],
        ["holdfast --version", "the version"],
      ],
    },
    `Documentation: ${docsLink("README")}`,
  ];
}

/** The help of one command. */
export function commandHelp(name: CommandName): Part[] {
  const { about, terms = [], examples, docs }: Command = commands[name];
  return [
    `Usage: holdfast ${usageOf(name)}`,
    `${about.charAt(0).toUpperCase()}${about.slice(1)}.`,
    { rows: [...terms, ...optionRows(name)] },
    {
      title: examples.length === 1 ? "Example" : "Examples",
      rows: examples.map(([line, what]): Row => [`holdfast ${line}`, what]),
    },
    `Documentation: ${docsLink(docs)}`,
  ].filter((part) => typeof part === "string" || part.rows.length > 0);
}

function optionRows(name: CommandName): Row[] {
  const { options }: Command = commands[name];
  return Object.entries(options).map(([option, { short, value, about }]) => [
    `${short ? `-${short}, ` : ""}--${option}${value ? ` ${value}` : ""}`,
    about,
  ]);
}

/** Below this width, a meaning goes under its term. */
const minColumns = 56;
/** The columns in which meanings may start. */
const minColumn = 15;
const maxColumn = 40;

/** The lines of a help, with the meanings of a part in one column. */
export function renderHelp(parts: readonly Part[], screen: Screen): string[] {
  return parts.flatMap((part, index) => [
    ...(index === 0 ? [] : [""]),
    ...(typeof part === "string" ? [part] : renderRows(part, screen)),
  ]);
}

function renderRows({ title, rows }: Exclude<Part, string>, screen: Screen): string[] {
  const widest = Math.max(0, ...rows.map(([term]) => textWidth(term)));
  const column = Math.min(maxColumn, Math.floor(screen.width / 2), Math.max(minColumn, widest + 4));
  const isNarrow = screen.width < minColumns;
  const hang = " ".repeat(isNarrow ? 6 : column);
  return [
    ...(title === undefined ? [] : [screen.paint("bold", title)]),
    ...rows.flatMap(([term, text]) => {
      const first = `  ${term}`;
      return isNarrow || textWidth(first) + 2 > column
        ? [...wrapLine(first, screen, "      "), ...wrapLine(hang + text, screen)]
        : wrapLine(first.padEnd(column) + text, screen, hang);
    }),
  ];
}

/** Rewords an argument parser's error; undefined for any other error. */
export function explainUsageError(error: unknown, name: CommandName): string | undefined {
  const { code = "", message = "" } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  if (!code.startsWith("ERR_PARSE_ARGS")) return undefined;
  const next = `Run "holdfast help ${name}" to see its options.`;
  const [, unknown] = code === "ERR_PARSE_ARGS_UNKNOWN_OPTION" ? (/'(-[^']*)'/.exec(message) ?? []) : [];
  if (unknown !== undefined) {
    const known = [...Object.keys(commands[name].options), "help"].map((option) => `--${option}`);
    return `"holdfast ${name}" has no option ${unknown}.${suggestionFor(unknown, known)} ${next}`;
  }
  const [, option] = /^Option '(?:-\w, )?(--[^' ]*)/.exec(message) ?? [];
  if (message.endsWith(" argument missing")) return `${option} needs a value. ${next}`;
  if (!message.includes(" is ambiguous")) return `${message.replace(/\.?$/, ".")} ${next}`;
  return `${option} needs a value, but the next argument starts with a dash. If that is the value, write ${option}=VALUE. ${next}`;
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
  return `"holdfast ${command}" needs the AI SDK. Run: npm install holdfast ai @ai-sdk/openai-compatible`;
}

/** An operating system error, such as a missing file or a full disk. Its message names the path. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === "string";
}
