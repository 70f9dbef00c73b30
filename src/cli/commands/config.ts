import { existsSync } from "node:fs";
import { configFiles, type Origin, settingValue, type WorkspaceConfig } from "../../workspace/config.ts";
import { explainProblems } from "../../workspace/config-file.ts";
import { configSchema } from "../../workspace/config-schema.ts";
import { type SettingName, settingNames, settingOf } from "../../workspace/settings.ts";
import { storeName, storeVariables } from "../../workspace/store-location.ts";
import { findWorkspace, type Workspace } from "../../workspace/workspace.ts";
import { readArguments, usageError } from "../arguments.ts";
import { print, printJson, printProblem, type Screen } from "../terminal/screen.ts";
import { visibleLine } from "../terminal/visible-text.ts";

/** Prints every setting with its value and where it comes from, or the JSON Schema. */
export async function config(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("config", args);
  const [what] = positionals;
  if (what === "schema") {
    printJson(configSchema());
    return 0;
  }
  if (what !== undefined) throw usageError("config", `There is no ${JSON.stringify(what)} to print`);
  const workspace = findWorkspace({ flags: values, settings: values });
  const rows = settingRows(workspace).filter(({ origin }) => !values.changed || origin.source !== "default");
  const problems = await explainProblems(workspace.config);
  const files = configFiles(workspace.project).filter(({ path }) => existsSync(path));
  print(values, { settings: rows, files, problems }, (screen) => render(rows, files, screen));
  if (!values.json) for (const problem of problems) printProblem(problem);
  return problems.length === 0 ? 0 : 1;
}

interface SettingRow {
  name: SettingName;
  /** Null if the default depends on something else; `shown` describes it. */
  value: unknown;
  shown: string;
  origin: Origin;
}

function settingRows({ config, store }: Workspace): SettingRow[] {
  return settingNames.map((name) => {
    if (name === "store") {
      const origin = storeOrigin(store.source, config);
      const value = storeName(store);
      return { name, value, shown: value, origin };
    }
    const value = settingValue(config, name);
    const origin = config.origins[name] ?? { source: "default" };
    return { name, value: value ?? null, shown: shownValue(name, value), origin };
  });
}

function storeOrigin(source: Workspace["store"]["source"], { origins }: WorkspaceConfig): Origin {
  if (source === "flag") return { source, name: "--store" };
  if (source === "environment")
    return { source, name: storeVariables.find((name) => process.env[name]) ?? storeVariables[0] };
  return (source === "config" && origins.store) || { source: "default" };
}

function shownValue(name: SettingName, value: unknown): string {
  if (value === undefined) return `(${settingOf(name).otherwise ?? "not set"})`;
  return Array.isArray(value) ? value.join(", ") || "(none)" : String(value);
}

/** The origin as one word or path. */
function originText(origin: Origin): string {
  if (origin.source === "file") return origin.path;
  if (origin.source === "default") return "default";
  return origin.source === "environment" ? `$${origin.name}` : origin.name;
}

function render(
  rows: readonly SettingRow[],
  files: readonly { path: string }[],
  { paint }: Screen,
): string[] {
  const width = Math.max(0, ...rows.map(({ name }) => name.length)) + 2;
  const lines = rows.map(({ name, shown, origin }) => {
    const line = `${name.padEnd(width)}${visibleLine(shown)}`;
    return origin.source === "default"
      ? paint("dim", line)
      : `${line}  ${paint("cyan", `← ${visibleLine(originText(origin))}`)}`;
  });
  const paths = files.map(({ path }) => visibleLine(path)).join(", ");
  return [
    ...(rows.length === 0 ? ["Every setting is the default."] : lines),
    "",
    files.length === 0
      ? `There is no config file. Write holdfast.json in the project; "holdfast config schema" prints its schema.`
      : `Read from ${paths}. A setting without an arrow is the default.`,
  ];
}
