import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { HoldfastError } from "../errors.ts";
import { openMemory } from "../index.ts";
import type { Memory } from "../sessions/memory.ts";
import type { Surface } from "../surfaces/surface.ts";
import { surfaceNames } from "../surfaces/surfaces.ts";
import { prepareProjectStore, projectStore } from "./project-root.ts";

const common = {
  db: { type: "string" },
  store: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

/** Parses a command's arguments together with the options that every command takes. */
export function readArguments<Options extends ParseArgsOptionsConfig>(args: string[], options: Options) {
  return parseArgs({ args, options: { ...common, ...options }, allowPositionals: true, strict: true });
}

export interface StoreOptions {
  db?: string | undefined;
  store?: string | undefined;
}

/** The store that was asked for, or the one in the project. */
export function chosenStore(values: StoreOptions): string {
  if (values.db !== undefined && values.store !== undefined) {
    throw new HoldfastError("invalid_input", "Give either --db or --store, not both.");
  }
  const { HOLDFAST_DB, HOLDFAST_STORE } = process.env;
  // An empty variable is one that was not set.
  return values.db ?? values.store ?? (HOLDFAST_DB || HOLDFAST_STORE || projectStore());
}

/** Opens it with all surfaces, unless some are given. */
export async function openChosenMemory(
  values: StoreOptions,
  surfaces: readonly Surface[] | typeof surfaceNames = surfaceNames,
): Promise<Memory> {
  const store = chosenStore(values);
  if (store === projectStore()) prepareProjectStore();
  return openMemory({ store, surfaces });
}

/** Exactly one positional argument. */
export function onlyArgument(positionals: string[], name: string, usage: string): string {
  const [value, ...rest] = positionals;
  if (value !== undefined && rest.length === 0) return value;
  const problem = value === undefined ? `${name} is missing` : `there is more than one ${name}`;
  throw new HoldfastError("invalid_input", `${problem}. Usage: holdfast ${usage}`);
}

export function wholeNumber(value: string | undefined, option: string): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  throw new HoldfastError(
    "invalid_input",
    `--${option} must be a whole number (got ${JSON.stringify(value)}).`,
  );
}
