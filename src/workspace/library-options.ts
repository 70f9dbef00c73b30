import { defaultLimits, type Limits } from "../engine/limits.ts";
import { defaultRetention, keepEverything, type RetentionRules } from "../engine/retention.ts";
import type { SecretPolicy } from "../secrets/redact.ts";
import type { ProjectOptions } from "../surfaces/project/project.ts";
import { settingValue, type WorkspaceConfig } from "./config.ts";
import { type SettingName, type SettingValues, settingNames } from "./settings.ts";

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
