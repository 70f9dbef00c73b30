import { homedir } from "node:os";
import { join } from "node:path";
import { type NudgePolicy, noNudges } from "../compaction/nudges.ts";
import { defaultLimits, type Limits } from "../engine/limits.ts";
import { shown } from "../engine/options.ts";
import { defaultRetention, keepEverything, type RetentionRules } from "../engine/retention.ts";
import type { SecretPolicy } from "../secrets/redact.ts";
import type { ProjectOptions } from "../surfaces/project/project.ts";
import {
  type ConfigEntries,
  type ConfigProblem,
  readConfigFile,
  readEntries,
  unknownSetting,
} from "./config-file.ts";
import type { Project } from "./project.ts";
import { findSetting, type SettingName, type SettingValues, settingNames, settingOf } from "./settings.ts";

/** Where a setting's value comes from. */
export type Origin =
  | { source: "flag" | "environment"; name: string }
  /** A file of the project may come with a checkout; one of the user or of a host does not. */
  | { source: "file"; path: string; scope: "project" | "user" | "host" }
  | { source: "default" };

/** The settings of a workspace. */
export interface WorkspaceConfig {
  /** The values that were set somewhere. */
  values: Partial<SettingValues>;
  /** Where each of them comes from. */
  origins: Partial<Record<SettingName, Origin>>;
  /** The settings that could not be used. Their defaults apply. `explainProblems` makes sentences of them. */
  problems: ConfigProblem[];
  /** The path or URL of the store as a file names it; undefined: the default. */
  store?: string | undefined;
  /** Milliseconds after which a hook gives up. */
  hookDeadline: number;
  nudges: NudgePolicy;
}

/** Flags as a command parsed them; those that name no setting are ignored. */
export type ConfigFlags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export interface ReadConfigOptions {
  flags?: ConfigFlags | undefined;
  env?: NodeJS.ProcessEnv | undefined;
  /** Settings that a host keeps for us in its own config, and that config's name. */
  host?: { name: string; settings: Record<string, unknown> } | undefined;
}

/** Precedence: flags, environment, a host's config, `holdfast.json`, the user's file, defaults. */
export function readWorkspaceConfig(
  project: Project,
  { flags = {}, env = process.env, host }: ReadConfigOptions = {},
): WorkspaceConfig {
  const config: WorkspaceConfig = {
    values: {},
    origins: {},
    problems: [],
    hookDeadline: 0,
    nudges: { ...noNudges },
  };
  for (const { path, scope } of configFiles(project, env).toReversed())
    take(config, readConfigFile(path), { source: "file", path, scope });
  if (host)
    take(config, readEntries(host.settings, host.name), { source: "file", path: host.name, scope: "host" });
  takeEnvironment(config, env);
  takeFlags(config, flags);
  return withDerived(config);
}

/** The config files that exist or may be created, in order of precedence. */
export function configFiles(
  { root }: Project,
  env: NodeJS.ProcessEnv = process.env,
): { path: string; scope: "project" | "user" }[] {
  return [
    { path: join(root, "holdfast.json"), scope: "project" },
    { path: userConfigFile(env), scope: "user" },
  ];
}

/** The config file for all projects of the user. */
export function userConfigFile(env: NodeJS.ProcessEnv = process.env): string {
  const home = env.HOME || homedir();
  const windows = process.platform === "win32" ? env.APPDATA : undefined;
  return join(env.XDG_CONFIG_HOME || windows || join(home, ".config"), "holdfast", "config.json");
}

/** How long a hook waits for something that another program holds, in milliseconds: time is left to answer and to take notes. */
export function longestWait({ hookDeadline }: Pick<WorkspaceConfig, "hookDeadline">): number {
  return hookDeadline * 0.75;
}

/** A setting's value, or its default. */
export function settingValue<Name extends SettingName>(
  { values }: Pick<WorkspaceConfig, "values">,
  name: Name,
): SettingValues[Name] | undefined {
  return values[name] ?? (settingOf(name).default as SettingValues[Name] | undefined);
}

/** Whether the agent gets a surface, as far as the config decides it: without a choice it may have any. */
export function offers({ values }: Pick<WorkspaceConfig, "values">, surface: string): boolean {
  if (surface === "scratchpad" && values["scratchpad.enabled"] !== undefined)
    return values["scratchpad.enabled"];
  return values.surfaces?.some((name) => name === surface) ?? true;
}

function take(config: WorkspaceConfig, found: ConfigEntries | undefined, origin: Origin): void {
  if (!found) return;
  const file = origin.source === "file" ? origin.path : undefined;
  config.problems.push(...found.problems);
  for (const { name, value, path } of found.entries) {
    const problem = reachesOutside(name, origin) ?? set(config, name, value, origin);
    if (problem !== undefined)
      config.problems.push({ file, path, message: `"${path.join(".")}" ${problem}` });
  }
}

/** A clone can bring `holdfast.json`, so what reaches outside the project is not taken from there. */
function reachesOutside(name: SettingName, origin: Origin): string | undefined {
  if (origin.source !== "file" || origin.scope !== "project" || !settingOf(name).isOfUser) return undefined;
  const { variable } = settingOf(name);
  const or = variable === undefined ? "" : `, or set $HOLDFAST_${variable}`;
  return `cannot be set in a file of the project, because a clone can bring it. Put it into ${userConfigFile()}${or}`;
}

/** Sets a value, or returns what is wrong with it. */
function set(config: WorkspaceConfig, name: SettingName, value: unknown, origin: Origin): string | undefined {
  const { kind } = settingOf(name);
  const read = kind.read(value);
  if (read === undefined) return `must be ${kind.expected} (got ${shown(value)})`;
  Object.assign(config.values, { [name]: read });
  config.origins[name] = origin;
  return undefined;
}

function takeEnvironment(config: WorkspaceConfig, env: NodeJS.ProcessEnv): void {
  for (const name of settingNames) {
    const { variable, kind } = settingOf(name);
    const given = variable === undefined ? undefined : env[`HOLDFAST_${variable}`];
    // The store is located by `locateStore`, because a relative path depends on where it was written.
    if (!given || name === "store") continue;
    const origin = { source: "environment", name: `HOLDFAST_${variable}` } as const;
    const problem = set(config, name, kind.parse(given), origin);
    if (problem !== undefined) config.problems.push({ path: [], message: `$${origin.name} ${problem}` });
  }
}

function takeFlags(config: WorkspaceConfig, flags: ConfigFlags): void {
  for (const [flag, name, given] of flagsSet(flags)) {
    const setting = findSetting(name) ?? findSetting(`${name}.enabled`);
    if (setting === undefined) {
      config.problems.push({ path: [], message: `${flag}: ${unknownSetting(name)}` });
      continue;
    }
    const problem = set(config, setting, settingOf(setting).kind.parse(given), {
      source: "flag",
      name: flag,
    });
    if (problem !== undefined) config.problems.push({ path: [], message: `${flag} ${problem}` });
  }
}

/** The flags that set something, with the setting's name and the text of its value. */
function* flagsSet(flags: ConfigFlags): Generator<[flag: string, name: string, value: string]> {
  for (const name of settingNames) {
    const value = settingOf(name).hasFlag && name !== "store" ? flags[name] : undefined;
    if (typeof value === "string") yield [`--${name}`, name, value];
  }
  for (const given of texts(flags.set)) {
    const [name = "", ...value] = given.split("=");
    yield [`--set ${given}`, name, value.join("=")];
  }
}

function texts(value: ConfigFlags[string]): readonly string[] {
  return typeof value === "object" ? value : [];
}

function withDerived(config: WorkspaceConfig): WorkspaceConfig {
  for (const name of Object.keys(noNudges) as (keyof NudgePolicy)[])
    config.nudges[name] = settingValue(config, `scratchpad.${name}`) ?? 0;
  config.store = config.values.store;
  config.hookDeadline = settingValue(config, "hookDeadline") ?? 0;
  return config;
}

/** The settings of a group that were set, without the group's name: those of `limits`, for example. */
function settingsIn<Group extends string>(
  { values }: Pick<WorkspaceConfig, "values">,
  group: Group,
): { [Name in SettingName as Name extends `${Group}.${infer Rest}` ? Rest : never]?: SettingValues[Name] } {
  const own = settingNames.filter((name) => name.startsWith(`${group}.`) && values[name] !== undefined);
  return Object.fromEntries(own.map((name) => [name.slice(group.length + 1), values[name]])) as ReturnType<
    typeof settingsIn<Group>
  >;
}

/** The limits of the surfaces, for `openMemory`. */
export function limitsOf(config: Pick<WorkspaceConfig, "values">): Limits {
  const tokens = config.values["scratchpad.maxTokens"];
  return {
    ...defaultLimits,
    ...settingsIn(config, "limits"),
    ...(tokens === undefined ? {} : { scratchpadTokens: tokens }),
  };
}

/** The retention rules, for `openMemory`. */
export function retentionOf({ values }: Pick<WorkspaceConfig, "values">): RetentionRules {
  const { retention: days } = values;
  if (days === undefined) return defaultRetention;
  return days === 0
    ? keepEverything
    : { ...defaultRetention, historyDays: days, ledgerDays: days, deletedDays: days };
}

/** The handling of secrets, for `openMemory`. */
export function secretsOf(config: Pick<WorkspaceConfig, "values">): SecretPolicy {
  return settingValue(config, "secrets") ?? "redact";
}

/** The options of NOTES.md. */
export function projectOptionsOf(config: Pick<WorkspaceConfig, "values">): Omit<ProjectOptions, "root"> {
  return {
    path: config.values["project.file"],
    beads: settingValue(config, "project.beads"),
  };
}
