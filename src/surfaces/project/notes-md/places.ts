import { existsSync } from "node:fs";
import { resolve } from "node:path";

/** Default paths of NOTES.md, from the project's root; a new file goes to the last. */
export const defaultPaths: readonly string[] = ["grimoires/loa/NOTES.md", ".holdfast/NOTES.md"];

/** The path in $HOLDFAST_NOTES, from the root; an empty variable counts as unset. */
export function pathInEnvironment(): string | undefined {
  return process.env.HOLDFAST_NOTES || undefined;
}

/** The project's notes that exist, at `path` if it is configured; does not load the code that reads them. */
export function notesPaths(root: string, path = pathInEnvironment()): string[] {
  const paths = (path === undefined ? defaultPaths : [path]).map((each) => resolve(root, each));
  return paths.filter((each) => existsSync(each));
}

export function hasNotes(root: string, path?: string): boolean {
  return notesPaths(root, path).length > 0;
}
