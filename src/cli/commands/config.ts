import { existsSync } from "node:fs";
import { HoldfastError } from "../../errors.ts";
import { configFiles, type Origin, settingValue, type WorkspaceConfig } from "../../workspace/config.ts";
import { explainProblems } from "../../workspace/config-problems.ts";
import { configSchema } from "../../workspace/config-schema.ts";
import { type SettingName, settingNames, settingOf } from "../../workspace/settings.ts";
import { storeName } from "../../workspace/store-location.ts";
import { findWorkspace, type Workspace } from "../../workspace/workspace.ts";
import { readArguments } from "../arguments.ts";
import { painterFor, printable } from "../terminal/paint.ts";
import { printJson } from "../terminal/screen.ts";

/** Prints every setting with its value and where it comes from, or the JSON Schema. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    set: { type: "string", multiple: true },
    changed: { type: "boolean", default: false },
  });
  const [what, ...rest] = positionals;
  if (what === "schema" && rest.length === 0) {
    printJson(configSchema());
    return 0;
  }
  if (what !== undefined)
    throw new HoldfastError(
      "invalid_input",
      `config takes no argument ${JSON.stringify(what === "schema" ? rest[0] : what)}. Usage: holdfast config [schema]`,
    );
  const workspace = findWorkspace({ flags: values, settings: values });
  const rows = settingRows(workspace).filter(({ origin }) => !values.changed || origin.source !== "default");
  const problems = await explainProblems(workspace.config);
  const files = configFiles(workspace.project).filter(({ path }) => existsSync(path));
  if (values.json) printJson({ settings: rows, files, problems });
  else show(rows, files, problems);
  return problems.length === 0 ? 0 : 1;
}

export interface SettingRow {
  name: SettingName;
  /** Null if the default depends on something else; `shown` describes it. */
  value: unknown;
  shown: string;
  origin: Origin;
}

export function settingRows({ config, store }: Workspace): SettingRow[] {
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
  if (source === "flag") return { source, name: "--db or --store" };
  if (source === "environment")
    return { source, name: process.env.HOLDFAST_DB ? "HOLDFAST_DB" : "HOLDFAST_STORE" };
  return (source === "config" && origins.store) || { source: "default" };
}

function shownValue(name: SettingName, value: unknown): string {
  if (value === undefined) return `(${settingOf(name).otherwise ?? "not set"})`;
  return Array.isArray(value) ? value.join(", ") || "(none)" : String(value);
}

/** The origin as one word or path. */
export function originText(origin: Origin): string {
  if (origin.source === "file") return origin.path;
  if (origin.source === "default") return "default";
  return origin.source === "environment" ? `$${origin.name}` : origin.name;
}

function show(
  rows: readonly SettingRow[],
  files: readonly { path: string }[],
  problems: readonly string[],
): void {
  const paint = painterFor(process.stdout);
  const width = Math.max(...rows.map(({ name }) => name.length)) + 2;
  for (const { name, shown, origin } of rows) {
    const from = originText(origin);
    const line = `${name.padEnd(width)}${printable(shown)}`;
    const isDefault = origin.source === "default";
    console.log(isDefault ? paint("dim", line) : `${line}  ${paint("cyan", `← ${printable(from)}`)}`);
  }
  console.log(
    files.length === 0
      ? `\nNo config file yet. Write holdfast.json in the project; "holdfast config schema" prints its schema.`
      : `\nRead from ${files.map(({ path }) => printable(path)).join(", ")}. What has no arrow is a default.`,
  );
  for (const problem of problems) console.error(`holdfast: ${printable(problem)}`);
}
