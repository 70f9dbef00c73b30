import { existsSync } from "node:fs";
import { resolve } from "node:path";

/** Where a project's NOTES.md may lie, from its root; a new one goes to the last. */
export const usualPaths: readonly string[] = ["grimoires/loa/NOTES.md", ".holdfast/NOTES.md"];

/** The path that the environment names, from the root; an empty variable is one that was not set. */
export function pathInEnvironment(): string | undefined {
  return process.env.HOLDFAST_NOTES || undefined;
}

/** Whether a project has notes. Nothing that reads them is loaded for this. */
export function hasNotes(root: string): boolean {
  const given = pathInEnvironment();
  return (given === undefined ? usualPaths : [given]).some((path) => existsSync(resolve(root, path)));
}
