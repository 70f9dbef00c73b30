import { relative } from "node:path";
import { pathToFileURL } from "node:url";
import { packageRoot } from "../../workspace/package.ts";
import type { Places } from "./places.ts";
import { type FileChange, isChange } from "./write-changes.ts";

/** The project's files, which people commit, into which a plan writes paths of this machine. Relative to the root. */
export function filesWithMachinePaths(files: readonly FileChange[], { scope, root }: Places): string[] {
  if (scope === "user") return [];
  const own = [process.execPath, packageRoot, pathToFileURL(packageRoot).href];
  const written = [...own, ...own.map((path) => JSON.stringify(path).slice(1, -1))];
  return files
    .filter((file) => isChange(file) && written.some((path) => file.after?.includes(path)))
    .map(({ path }) => relative(root, path))
    .filter((path) => !path.startsWith(".."));
}
