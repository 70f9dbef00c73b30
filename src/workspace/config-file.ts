import { existsSync, readFileSync, statSync } from "node:fs";
import { isObject } from "../engine/json.ts";
import { closestName, shown } from "../engine/options.ts";
import { HoldfastError } from "../errors.ts";
import type { WorkspaceConfig } from "./config.ts";
import { findSetting, type SettingName, settingGroups, settingNames, settingOf } from "./settings.ts";
import { readRegularFile } from "./small-file.ts";

/** Something in a config file, a flag or a variable that cannot be used. */
export interface ConfigProblem {
  /** The file; undefined for a flag or a variable. */
  file?: string | undefined;
  /** The keys that lead to the value, to find its line; empty for the whole file. */
  path: readonly string[];
  /** A sentence without the place, such as `"keep" must be …`. */
  message: string;
}

/** One value of a config file, with the setting that it is for. */
export interface ConfigEntry {
  name: SettingName;
  value: unknown;
  path: readonly string[];
}

export interface ConfigEntries {
  entries: ConfigEntry[];
  problems: ConfigProblem[];
}

/** Larger files are not a config. */
const maxConfigBytes = 1_000_000;

/** The settings in a file; undefined if there is no file. */
export function readConfigFile(file: string): ConfigEntries | undefined {
  const fault = (message: string): ConfigEntries => ({
    entries: [],
    problems: [{ file, path: [], message }],
  });
  let content: string;
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (!stat) return undefined;
    if (!stat.isFile()) return fault("is not a file");
    if (stat.size > maxConfigBytes) return fault(`has ${stat.size} bytes, the limit is ${maxConfigBytes}`);
    content = readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    // In a folder that the user may not read, nobody can tell whether there is one.
    if (!existsSync(file)) return undefined;
    return fault(`cannot be read (${(error as Error).message})`);
  }
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return fault("is not valid JSON");
  }
  if (!isObject(value)) return fault("is not a JSON object");
  return readEntries(value, file);
}

/** The settings in an object, whose names are nested or dotted. */
export function readEntries(object: Record<string, unknown>, file?: string): ConfigEntries {
  const found: ConfigEntries = { entries: [], problems: [] };
  collect(object, [], found);
  const seen = new Set<SettingName>();
  for (const { name, path } of found.entries) {
    if (seen.has(name)) found.problems.push({ path, message: `"${name}" is set twice; using the last one` });
    seen.add(name);
  }
  return { entries: found.entries, problems: found.problems.map((problem) => ({ ...problem, file })) };
}

/** Where the document of the scratchpad extension has its settings. They are those of the group `scratchpad`. */
export const scratchpadOfDocument = "agents.defaults.claudeSdk.scratchpad";

function collect(object: Record<string, unknown>, above: readonly string[], found: ConfigEntries): void {
  for (const [key, value] of Object.entries(object)) {
    const path = [...above, key];
    const given = path.join(".");
    if (isObject(value) && scratchpadOfDocument.startsWith(`${given}.`)) {
      collect(value, path, found);
      continue;
    }
    const full = given.replace(scratchpadOfDocument, "scratchpad");
    if (full === "$schema") continue;
    const name = findSetting(full);
    const group = settingGroups.includes(full) ? findSetting(`${full}.enabled`) : undefined;
    if (name !== undefined) found.entries.push({ name, value, path });
    else if (settingGroups.includes(full) && isObject(value)) collect(value, path, found);
    // `"clearing": false` turns the whole group off.
    else if (group !== undefined && typeof value === "boolean")
      found.entries.push({ name: group, value, path });
    else found.problems.push({ path, message: unusable(full, value) });
  }
}

function unusable(full: string, value: unknown): string {
  if (settingGroups.includes(full)) return `"${full}" must be an object (got ${shown(value)})`;
  return unknownSetting(full);
}

export function unknownSetting(name: string): string {
  const aliases = settingNames.flatMap((each) => settingOf(each).alias ?? []);
  const closest = closestName(name, [...settingNames, ...settingGroups, ...aliases]);
  const hint = closest === undefined ? `"holdfast config" lists the settings` : `did you mean "${closest}"?`;
  return `there is no setting "${name}"; ${hint}`;
}

/** One sentence for each problem, with the file and the line. `ofFile` ends the sentence about a whole file. */
export async function explainProblems(
  { problems }: Pick<WorkspaceConfig, "problems">,
  ofFile = "; using the defaults",
): Promise<string[]> {
  const explained: string[] = [];
  for (const problem of problems) {
    const { file, path, message } = problem;
    const isWhole = isOfFile(problem);
    const place = file === undefined ? "" : `${file}${await lineOf(file, path)}${isWhole ? " " : ": "}`;
    explained.push(`${place}${message}${isWhole ? ofFile : ""}${message.endsWith("?") ? "" : "."}`);
  }
  return explained;
}

/** Whether nothing in a file can be used. */
export function isOfFile({ file, path }: ConfigProblem): boolean {
  return file !== undefined && path.length === 0;
}

/** Throws on the first problem. For commands that a person runs: nothing is done with half of the settings. */
export async function requireValid(config: Pick<WorkspaceConfig, "problems">): Promise<void> {
  if (config.problems.length === 0) return;
  const [first = "", ...more] = await explainProblems(config, ". Correct or remove the file");
  const others =
    more.length === 0
      ? ""
      : ` There ${more.length === 1 ? "is 1 more problem" : `are ${more.length} more problems`}: run "holdfast config".`;
  throw new HoldfastError("invalid_input", `${first}${others}`, {
    data: { problems: config.problems.length },
  });
}

/** ":LINE" of a value, or of the first mistake in a file that is not JSON. Loaded late: most files have no problem. */
async function lineOf(file: string, path: ConfigProblem["path"]): Promise<string> {
  try {
    const text = readRegularFile(file, { maxBytes: maxConfigBytes, followLinks: true })?.toString("utf8");
    if (text === undefined) return "";
    const { findNodeAtLocation, parseTree } = await import("jsonc-parser");
    const mistakes: { offset: number }[] = [];
    const tree = parseTree(text, mistakes as Parameters<typeof parseTree>[1]);
    const node = tree && findNodeAtLocation(tree, [...path]);
    const offset = path.length === 0 ? mistakes[0]?.offset : (node?.parent?.offset ?? node?.offset);
    return offset === undefined ? "" : `:${text.slice(0, offset).split("\n").length}`;
  } catch {
    return "";
  }
}
