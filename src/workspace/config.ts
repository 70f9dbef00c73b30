import { existsSync } from "node:fs";
import { join } from "node:path";
import { type NudgePolicy, noNudges } from "../compaction/nudges.ts";
import { readSmallFile } from "./small-file.ts";

/** What a project sets in `.holdfast/config.json`. */
export interface WorkspaceConfig {
  /** The path or URL of the project's store, as written; undefined for the one in `.holdfast`. */
  store?: string | undefined;
  /** Milliseconds after which a hook gives up. */
  hookDeadline: number;
  nudges: NudgePolicy;
  /** What in the file could not be used. */
  problems: string[];
}

const defaultDeadline = 2_000;
/** No host waits longer than a minute. */
const longestDeadline = 60_000;

export function readWorkspaceConfig(directory: string): WorkspaceConfig {
  const path = join(directory, "config.json");
  const file = readSmallFile(path);
  const problems: string[] = [];
  if (!file && existsSync(path)) problems.push(`${path} holds no JSON object, so the defaults are used.`);
  const number = (name: string, fallback: number, most: number): number => {
    const value = file?.[name];
    if (value === undefined) return fallback;
    // `true` and `false` are what one writes for a nudge that is on or off.
    const amount = typeof value === "boolean" ? Number(value) : value;
    if (typeof amount === "number" && Number.isInteger(amount) && amount >= 0 && amount <= most)
      return amount;
    problems.push(`"${name}" in ${path} must be a whole number from 0 to ${most}; ${fallback} is used.`);
    return fallback;
  };
  const nudges = { ...noNudges };
  for (const name of Object.keys(noNudges) as (keyof NudgePolicy)[])
    nudges[name] = number(name, noNudges[name], 1_000_000);
  const { store } = file ?? {};
  if (store !== undefined && typeof store !== "string")
    problems.push(`"store" in ${path} must be a path or a URL in quotes; .holdfast/memory.db is used.`);
  return {
    store: typeof store === "string" ? store : undefined,
    hookDeadline: deadline(number("hookDeadline", defaultDeadline, longestDeadline)),
    nudges,
    problems,
  };
}

function deadline(configured: number): number {
  const asked = Number(process.env.HOLDFAST_HOOK_DEADLINE);
  return asked >= 1 && asked <= longestDeadline ? asked : configured || defaultDeadline;
}
