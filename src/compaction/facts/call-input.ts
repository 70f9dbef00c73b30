import { textsIn } from "../../context/conversation.ts";
import { isObject } from "../../engine/json.ts";

const pathFields = ["path", "file_path", "filePath", "file", "filename", "notebook_path", "target_file"];
const listFields = ["paths", "file_paths", "filePaths", "files"];
const commandFields = ["command", "cmd", "script"];

export type Fields = Record<string, unknown>;

export function fieldsOf(input: unknown): Fields {
  return isObject(input) ? input : {};
}

/** The files that a call names in its fields. */
export function pathsIn(fields: Fields): string[] {
  const path = pathFields.find((name) => isPath(fields[name]));
  const list = listFields.find((name) => Array.isArray(fields[name]));
  const paths = [path === undefined ? undefined : fields[path], ...listIn(fields, list)];
  return paths.filter(isPath);
}

function isPath(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function listIn(fields: Fields, name: string | undefined): readonly unknown[] {
  const list = name === undefined ? undefined : fields[name];
  return Array.isArray(list) ? list : [];
}

/** The files named in a patch, as in `*** Update File: src/a.ts` and `+++ b/src/a.ts`. */
export function patchedFiles(input: unknown): string[] {
  return textsIn(input).flatMap((text) =>
    text.includes("*** ") || text.includes("+++ b/")
      ? [...text.matchAll(/^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ b\/)(\S.*)$/gm)].map(
          ([, path = ""]) => path.trim(),
        )
      : [],
  );
}

/** The command of a shell call; undefined for another tool. */
export function commandIn(fields: Fields): string | undefined {
  // A "command" with a path belongs to an editor, not to a shell.
  if (pathsIn(fields).length > 0) return undefined;
  return commandFields
    .map((name) => (Array.isArray(fields[name]) ? fields[name].join(" ") : fields[name]))
    .find((value): value is string => typeof value === "string" && value.trim() !== "");
}
