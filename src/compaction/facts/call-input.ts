import { textsIn } from "../../context/conversation.ts";
import { isObject } from "../../engine/json.ts";

const pathFields = ["path", "file_path", "filePath", "file", "filename", "notebook_path", "target_file"];
const listFields = ["paths", "file_paths", "filePaths", "files"];
const fieldsWithPaths = new Set([...pathFields, ...listFields]);
const none: readonly string[] = [];
const commandFields = ["command", "cmd", "script"];

export type Fields = Record<string, unknown>;

export function fieldsOf(input: unknown): Fields {
  return isObject(input) ? input : {};
}

/** The files that a call names in its fields. */
export function pathsIn(fields: Fields): readonly string[] {
  // Most calls have few fields, so it takes less to look at those than for each that may name a file.
  if (!hasPaths(fields)) return none;
  const paths: string[] = [];
  for (const name of pathFields) {
    const path = fields[name];
    if (!isPath(path)) continue;
    paths.push(path);
    break;
  }
  const list = listFields.find((name) => Array.isArray(fields[name]));
  const listed = list === undefined ? undefined : fields[list];
  if (Array.isArray(listed)) paths.push(...listed.filter(isPath));
  return paths;
}

function hasPaths(fields: Fields): boolean {
  for (const name in fields) if (fieldsWithPaths.has(name)) return true;
  return false;
}

function isPath(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** The files named in a patch, as in `*** Update File: src/a.ts` and `+++ b/src/a.ts`. */
export function patchedFiles(input: unknown): readonly string[] {
  // Few calls have a patch, and a list of the texts of each call takes longer than this.
  if (!mayHavePatch(input)) return none;
  return textsIn(input).flatMap((text) =>
    [...text.matchAll(/^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ b\/)(\S.*)$/gm)].map(([, path = ""]) =>
      path.trim(),
    ),
  );
}

function mayHavePatch(value: unknown): boolean {
  if (typeof value === "string") return value.includes("*** ") || value.includes("+++ b/");
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(mayHavePatch);
}

/** The command of a shell call; undefined for another tool. */
export function commandIn(fields: Fields, paths: readonly string[] = pathsIn(fields)): string | undefined {
  // A "command" with a path belongs to an editor, not to a shell.
  if (paths.length > 0) return undefined;
  for (const name of commandFields) {
    const value = fields[name];
    const command = Array.isArray(value) ? value.join(" ") : value;
    if (typeof command === "string" && command.trim() !== "") return command;
  }
  return undefined;
}
