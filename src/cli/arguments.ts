import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { HoldfastError } from "../errors.ts";

const common = {
  db: { type: "string" },
  store: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

/** Parses a command's arguments, including the options that every command takes. */
export function readArguments<Options extends ParseArgsOptionsConfig>(args: string[], options: Options) {
  return parseArgs({ args, options: { ...common, ...options }, allowPositionals: true, strict: true });
}

/** Requires exactly one positional argument. */
export function onlyArgument(positionals: string[], name: string, usage: string): string {
  const [value, ...rest] = positionals;
  if (value !== undefined && rest.length === 0) return value;
  const problem = value === undefined ? `${name} is missing` : `there is more than one ${name}`;
  throw new HoldfastError("invalid_input", `${problem}. Usage: holdfast ${usage}`);
}

/** Allows at most one positional argument. */
export function atMostOne(positionals: string[], name: string, usage: string): string | undefined {
  const [value, ...rest] = positionals;
  if (rest.length === 0) return value;
  throw new HoldfastError("invalid_input", `There is more than one ${name}. Usage: holdfast ${usage}`);
}

export function noArguments(positionals: string[], usage: string): void {
  const [first] = positionals;
  if (first === undefined) return;
  throw new HoldfastError(
    "invalid_input",
    `Unexpected argument ${JSON.stringify(first)}. Usage: holdfast ${usage}`,
  );
}

export function wholeNumber(value: string | undefined, option: string): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  throw new HoldfastError(
    "invalid_input",
    `--${option} must be a whole number (got ${JSON.stringify(value)}).`,
  );
}
