import { existsSync } from "node:fs";
import { join } from "node:path";
import { type NudgePolicy, noNudges } from "../compaction/nudges.ts";
import { type SecretPolicy, secretPolicies } from "../secrets/redact.ts";
import { readSmallFile } from "./small-file.ts";

/** A project's settings from `.holdfast/config.json`. */
export interface WorkspaceConfig {
  /** The path or URL of the project's store as written; undefined: the default in `.holdfast`. */
  store?: string | undefined;
  /** Milliseconds after which a hook gives up. */
  hookDeadline: number;
  nudges: NudgePolicy;
  /** What happens to secrets in what is stored (default: redact). */
  secrets?: SecretPolicy;
  /** One message for each setting that was ignored. */
  problems: string[];
}

const defaultDeadline = 2_000;
/** No host waits longer than a minute. */
const maxDeadline = 60_000;

export function readWorkspaceConfig(directory: string): WorkspaceConfig {
  const path = join(directory, "config.json");
  const file = readSmallFile(path);
  const problems: string[] = [];
  if (!file && existsSync(path)) problems.push(`${path} is not a JSON object; using the defaults.`);
  const number = (name: string, fallback: number, max: number): number => {
    const value = file?.[name];
    if (value === undefined) return fallback;
    // People write `true` and `false` to turn a nudge on or off.
    const amount = typeof value === "boolean" ? Number(value) : value;
    if (typeof amount === "number" && Number.isInteger(amount) && amount >= 0 && amount <= max) return amount;
    problems.push(`"${name}" in ${path} must be a whole number from 0 to ${max}; using ${fallback}.`);
    return fallback;
  };
  const nudges = { ...noNudges };
  for (const name of Object.keys(noNudges) as (keyof NudgePolicy)[])
    nudges[name] = number(name, noNudges[name], 1_000_000);
  const { store } = file ?? {};
  if (store !== undefined && typeof store !== "string")
    problems.push(`"store" in ${path} must be a string with a path or a URL; using .holdfast/memory.db.`);
  const secrets = secretPolicies.find((policy) => policy === file?.secrets);
  if (file?.secrets !== undefined && !secrets)
    problems.push(`"secrets" in ${path} must be one of ${secretPolicies.join(", ")}; using redact.`);
  return {
    ...(secrets && { secrets }),
    store: typeof store === "string" ? store : undefined,
    hookDeadline: deadline(number("hookDeadline", defaultDeadline, maxDeadline)),
    nudges,
    problems,
  };
}

function deadline(configured: number): number {
  const fromEnvironment = Number(process.env.HOLDFAST_HOOK_DEADLINE);
  return fromEnvironment >= 1 && fromEnvironment <= maxDeadline
    ? fromEnvironment
    : configured || defaultDeadline;
}
