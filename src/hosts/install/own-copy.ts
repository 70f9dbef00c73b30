import { cpSync, existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { stateFolder } from "../../state-folder.ts";
import { packageRoot } from "../../workspace/package.ts";
import { makeFolders } from "./config-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of the user's own copy of this program. */
export function copyFolder(env: Environment = process.env): string {
  return join(stateFolder(env), "program");
}

/**
 * Copies this program with its dependencies, which are next to it in the same folder, to a place that nobody clears.
 * Replaces an earlier copy, so that every host's config leads to the newest. Returns the copy's command file.
 */
export function copyProgram(env: Environment = process.env, root = packageRoot): string {
  const folder = copyFolder(env);
  const [fresh, old] = [`${folder}.${process.pid}.new`, `${folder}.${process.pid}.old`];
  makeFolders(dirname(folder), 0o700);
  try {
    cpSync(dirname(root), join(fresh, "node_modules"), { recursive: true, verbatimSymlinks: true });
    if (existsSync(folder)) renameSync(folder, old);
    renameSync(fresh, folder);
  } finally {
    for (const path of [fresh, old]) rmSync(path, { recursive: true, force: true });
  }
  return join(folder, "node_modules", "holdfast", "dist", "cli.js");
}
