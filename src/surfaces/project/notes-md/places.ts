import { existsSync } from "node:fs";
import { resolve } from "node:path";

/** Default paths of NOTES.md, from the project's root; a new file goes to the last. */
export const defaultPaths: readonly string[] = ["grimoires/loa/NOTES.md", ".holdfast/NOTES.md"];

/** The path in $HOLDFAST_NOTES, from the root; an empty variable counts as unset. */
export function pathInEnvironment(): string | undefined {
  return process.env.HOLDFAST_NOTES || undefined;
}

/** Whether a project has notes, at `path` if it is configured; does not load the code that reads them. */
export function hasNotes(root: string, path = pathInEnvironment()): boolean {
  return (path === undefined ? defaultPaths : [path]).some((path) => existsSync(resolve(root, path)));
}
