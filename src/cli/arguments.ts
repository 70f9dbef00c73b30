import { parseArgs } from "node:util";
import { HoldfastError } from "../errors.ts";
import { type CommandName, commands } from "./commands.ts";

interface ParseConfig<Name extends CommandName> {
  args: string[];
  options: (typeof commands)[Name]["options"];
  allowPositionals: true;
  strict: true;
}

export type Arguments<Name extends CommandName> = ReturnType<typeof parseArgs<ParseConfig<Name>>>;

/** Parses a command's arguments, as `commands.ts` describes them. */
export function readArguments<Name extends CommandName>(name: Name, args: string[]): Arguments<Name> {
  const { options, takes } = commands[name];
  const earlier = earlierNames.filter(({ now }) => Object.hasOwn(options, now));
  const all = { ...options, ...Object.fromEntries(earlier.map(({ option, type }) => [option, { type }])) };
  const config: ParseConfig<Name> = { args, options: all, allowPositionals: true, strict: true };
  const parsed = parseArgs(config);
  const { positionals, values } = parsed as { positionals: string[]; values: Record<string, unknown> };
  for (const each of earlier) takeEarlier(values, each);
  checkArguments(name, positionals, takes);
  return parsed;
}

/** An earlier name of an option, which still works. `setting`: the option is now `--set SETTING=VALUE`. */
interface EarlierName {
  option: string;
  type: "string" | "boolean";
  now: string;
  setting?: string;
}

const earlierNames: readonly EarlierName[] = [
  { option: "db", type: "string", now: "store" },
  { option: "npx", type: "boolean", now: "portable" },
  { option: "context-window", type: "string", now: "set", setting: "contextWindow" },
  { option: "placement", type: "string", now: "set", setting: "placement" },
];

function takeEarlier(values: Record<string, unknown>, { option, now, setting }: EarlierName): void {
  const value = values[option];
  delete values[option];
  if (value === undefined) return;
  if (setting !== undefined) values[now] = [...((values[now] as string[]) ?? []), `${setting}=${value}`];
  else if (values[now])
    throw new HoldfastError(
      "invalid_input",
      `Give either --${option} or --${now}, not both: they mean the same.`,
    );
  else values[now] = value;
}

/** Throws unless these are the arguments that `takes` lists: `SESSION` must be there, `[SESSION]` may, `…` takes any number. */
export function checkArguments(name: CommandName, given: readonly string[], takes: string): void {
  const terms = takes.split(" ").filter((term) => term !== "");
  const missing = terms.filter((term) => !term.startsWith("["))[given.length];
  if (missing !== undefined) throw usageError(name, `${missing.replace("…", "")} is missing`);
  if (given.length > terms.length && !takes.includes("…"))
    throw usageError(name, `Unexpected argument ${JSON.stringify(given[terms.length])}`);
}

/** The subcommand that the first argument names, and the arguments after it. */
export function readSubcommand<Run>(
  name: CommandName,
  [given = "", ...rest]: readonly string[],
  subcommands: Readonly<Record<string, Run>>,
): { run: Run; rest: string[] } {
  const run = Object.hasOwn(subcommands, given) ? subcommands[given] : undefined;
  if (run) return { run, rest };
  const known = Object.keys(subcommands);
  throw new HoldfastError(
    "invalid_input",
    `There is no ${name} command ${JSON.stringify(given)}. The commands are: ${known.join(", ")}. Run "holdfast help ${name}" to see their options.`,
    { data: { given, known } },
  );
}

/** A problem with the arguments, with the usage. */
export function usageError(name: CommandName, problem: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `${problem}. Usage: holdfast ${usageOf(name)}. Run "holdfast help ${name}" for examples.`,
  );
}

export function usageOf(name: CommandName): string {
  const { takes, options } = commands[name];
  return [name, takes, Object.keys(options).length > 0 ? "[OPTIONS]" : ""].filter(Boolean).join(" ");
}

export function wholeNumber(value: string | undefined, option: string, least = 0): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value) && Number(value) >= least) return Number(value);
  const kind = least === 0 ? "a whole number" : `a whole number of at least ${least}`;
  throw new HoldfastError("invalid_input", `--${option} must be ${kind} (got ${JSON.stringify(value)}).`);
}
