import { delimiter } from "node:path";
import { noNudges } from "../compaction/nudges.ts";
import { placements } from "../context/blocks.ts";
import { agentDefaults } from "../engine/agent-defaults.ts";
import { defaultLimits, type Limits } from "../engine/limits.ts";
import {
  listOf,
  type OptionKind,
  oneOf,
  share,
  someShare,
  text,
  threshold,
  toggle,
  wholeNumber,
} from "../engine/options.ts";
import { defaultRetention } from "../engine/retention.ts";
import { secretPolicies } from "../secrets/redact.ts";

/**
 * The readers of the configuration. A plugin runs inside a host and keeps no conversation of its own; `commands` are those
 * for people, such as `holdfast show`.
 */
export const entryPoints = ["chat", "mcp", "hook", "plugin", "serve", "commands"] as const;

export type EntryPoint = (typeof entryPoints)[number];

/** One setting. The JSON Schema, the checks, `holdfast config` and its page in the docs come from these. */
export interface Setting<Value = unknown> {
  kind: OptionKind<Value>;
  /** The default; undefined if it depends on something, which `otherwise` describes. */
  default?: Value;
  otherwise?: string;
  description: string;
  /** The variable that overrides the files, without `HOLDFAST_`. */
  variable?: string;
  /** Some commands have a flag with its name, which overrides everything. */
  hasFlag?: true;
  /** Reaches outside the project, so only the user sets it: in the user's config, the environment or a flag. */
  isOfUser?: boolean;
  /** An older name that still works. */
  alias?: string;
  actsIn: readonly EntryPoint[];
}

const everywhere = entryPoints;
const withTools = ["chat", "mcp", "plugin", "serve"] as const;
const withNudges = ["chat", "hook", "plugin"] as const;
const onlyChat = ["chat"] as const;

/** Surfaces that can be chosen by name. They are listed here so that a hook need not load them. */
export const surfaceChoices = [
  "notepad",
  "notes",
  "pins",
  "scratchpad",
  "tasks",
  "results",
  "recall",
  "sessions",
  "knowledge",
  "project",
  "sandbox",
] as const;

function setting<const Value>(given: Setting<Value>): Setting<Value> {
  return given;
}

/** Every setting by its name. A new one is added here and read where it acts; nothing else has to change. */
export const settings = {
  store: setting<string>({
    kind: text,
    otherwise: "memory.db in the project's folder in your state folder",
    description:
      "Where sessions are stored: a SQLite file, or a URL (sqlite:PATH, postgres://…). Relative to the project.",
    variable: "DB",
    hasFlag: true,
    isOfUser: true,
    actsIn: everywhere,
  }),
  surfaces: setting({
    kind: listOf(oneOf(surfaceChoices)),
    otherwise: "the types of the place, project if there is a NOTES.md, scratchpad if it is enabled",
    description: "The memory types that the agent gets.",
    hasFlag: true,
    actsIn: ["chat", "mcp", "hook", "plugin", "serve"],
  }),
  secrets: setting({
    kind: oneOf(secretPolicies),
    default: "redact",
    description:
      "The handling of secrets: redact replaces a secret in stored and shown text, refuse rejects the write, allow keeps it.",
    isOfUser: true,
    actsIn: everywhere,
  }),
  handoff: setting({
    kind: toggle,
    default: true,
    description:
      "Whether a compaction hands over the user's words, the to-do list and the last steps. false extracts nothing.",
    actsIn: ["chat", "hook", "plugin"],
  }),
  placement: setting({
    kind: oneOf(placements),
    default: "epoch",
    description:
      "Where memory goes in the prompt: once with its changes, in the system prompt, or before each message.",
    actsIn: ["chat", "hook", "plugin"],
  }),
  contextWindow: setting({
    // The system prompt and the tools alone need about 2,500 tokens.
    kind: wholeNumber(4_000),
    otherwise: "the model's",
    description: "The model's context window in tokens.",
    actsIn: onlyChat,
  }),
  compactAt: setting({
    kind: someShare,
    default: agentDefaults.compactAt,
    description: "Share of the window at which the conversation is compacted.",
    actsIn: onlyChat,
  }),
  keep: setting({
    kind: share,
    default: agentDefaults.keep,
    description: "Share of the window kept for the newest messages in a compaction.",
    actsIn: onlyChat,
  }),
  hookDeadline: setting({
    kind: wholeNumber(1, 60_000),
    default: 2_000,
    description: "Milliseconds after which a hook gives up, so that the agent continues.",
    variable: "HOOK_DEADLINE",
    actsIn: ["hook"],
  }),
  interactiveLockTimeout: setting({
    kind: wholeNumber(0, 60_000),
    default: 2_000,
    description:
      "Milliseconds that a call of an agent or a browser waits for a store that another process holds.",
    variable: "INTERACTIVE_LOCK_TIMEOUT",
    actsIn: ["mcp", "hook", "plugin", "serve"],
  }),
  skills: setting({
    // As in $PATH, because folders may have commas in their names.
    kind: listOf(text, delimiter),
    otherwise: "the folders where coding agents keep skills",
    description: "Folders with skills, for the memory type knowledge.",
    variable: "SKILLS",
    isOfUser: true,
    actsIn: withTools,
  }),
  "scratchpad.enabled": setting<boolean>({
    kind: toggle,
    otherwise: "whether surfaces names it",
    description: "true adds the scratchpad to the memory types. false removes it, even if surfaces names it.",
    actsIn: ["chat", "mcp", "hook", "plugin", "serve"],
  }),
  "scratchpad.maxTokens": setting({
    kind: wholeNumber(1),
    default: defaultLimits.scratchpadTokens,
    description: "Tokens of the scratchpad, all its spaces together.",
    alias: "limits.scratchpadTokens",
    actsIn: [...withTools, "commands"],
  }),
  "scratchpad.nudgeAfterTurns": nudge(
    "nudgeAfterTurns",
    "Reminds the agent if its memory is empty after this many turns. 0: off.",
  ),
  "scratchpad.nudgeOnPlanDetected": nudge(
    "nudgeOnPlanDetected",
    "Reminds the agent if its answer contains a plan and its memory is empty. 1: on.",
  ),
  "scratchpad.nudgeAfterCompaction": nudge(
    "nudgeAfterCompaction",
    "Reminds the agent to review its memory after a compaction. 1: on.",
  ),
  "scratchpad.nudgeTurnsSinceLastUse": nudge(
    "nudgeTurnsSinceLastUse",
    "Reminds the agent if its memory holds something and was not updated for this many turns. 0: off.",
  ),
  clearing: setting({
    kind: toggle,
    default: true,
    description:
      "Whether old, long tool results are replaced with one-line stubs. Needs the memory type results.",
    actsIn: onlyChat,
  }),
  "project.file": setting<string>({
    kind: text,
    otherwise: "grimoires/loa/NOTES.md",
    description: "The project's NOTES.md, relative to the project.",
    variable: "NOTES",
    actsIn: everywhere,
  }),
  "project.beads": setting({
    kind: toggle,
    default: true,
    description: "Whether actionable debt becomes an issue in Beads, if bd is on the PATH.",
    variable: "BEADS",
    isOfUser: true,
    actsIn: [...withTools, "commands"],
  }),
  "project.compactAfterTasks": setting({
    kind: threshold,
    default: 0,
    description:
      "Compacts the conversation once this many tasks have been closed since the last compaction. 0: off.",
    actsIn: onlyChat,
  }),
  retention: setting({
    kind: wholeNumber(0),
    default: defaultRetention.historyDays,
    description: "Days that history, model calls and deleted sessions are kept. 0: no limit.",
    isOfUser: true,
    actsIn: ["chat", "mcp", "hook", "plugin", "serve"],
  }),
  "limits.notepadCharacters": limit("notepadCharacters", "Characters in the notepad.", true),
  "limits.noteCharacters": limit("noteCharacters", "Characters in one note."),
  "limits.noteTags": limit("noteTags", "Tags on one note."),
  "limits.spaceNotesCharacters": limit("spaceNotesCharacters", "Characters in the scratchpad's notes.", true),
  "limits.spacePlanCharacters": limit("spacePlanCharacters", "Characters in the scratchpad's plan.", true),
  "limits.refs": limit("refs", "References in the scratchpad."),
  "limits.pinBytes": limit("pinBytes", "Bytes of all pins together.", true),
} as const;

function nudge(name: keyof typeof noNudges, description: string): Setting<number> {
  return {
    kind: threshold,
    default: noNudges[name],
    description,
    alias: name,
    actsIn: withNudges,
  };
}

/** `isByPeople`: `holdfast edit` and `holdfast pin` write it too. */
function limit(name: keyof Limits, description: string, isByPeople = false): Setting<number> {
  return {
    kind: wholeNumber(1),
    default: defaultLimits[name],
    description,
    actsIn: isByPeople ? [...withTools, "commands"] : withTools,
  };
}

export type SettingName = keyof typeof settings;

/** The value of each setting. */
export type SettingValues = {
  [Name in SettingName]: (typeof settings)[Name] extends Setting<infer Value> ? Value : never;
};

export const settingNames = Object.keys(settings) as readonly SettingName[];

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name);
}

/** The setting that a name, or an older name, refers to. */
export function findSetting(name: string): SettingName | undefined {
  if (isSettingName(name)) return name;
  return settingNames.find((each) => settingOf(each).alias === name);
}

export function settingOf(name: SettingName): Setting {
  return settings[name];
}

/** The groups that nested settings are in, such as `scratchpad`. */
export const settingGroups: readonly string[] = [
  ...new Set(
    [...settingNames, ...settingNames.flatMap((name) => settingOf(name).alias ?? [])].flatMap((name) => {
      const dot = name.indexOf(".");
      return dot === -1 ? [] : [name.slice(0, dot)];
    }),
  ),
];
