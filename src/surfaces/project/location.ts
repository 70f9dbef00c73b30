import { existsSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";

/** Where NOTES.md is, from the project's root, unless it is configured. */
export const defaultPath = "grimoires/loa/NOTES.md";

/** The path in $HOLDFAST_NOTES, from the root; an empty variable counts as unset. */
export function pathInEnvironment(): string | undefined {
  return process.env.HOLDFAST_NOTES || undefined;
}

/** The project's notes that exist, at `path` if it is configured; does not load the code that reads them. */
export function notesPaths(root: string, path = pathInEnvironment() ?? defaultPath): string[] {
  return [resolve(root, path)].filter((each) => existsSync(each));
}

export function hasNotes(root: string, path?: string): boolean {
  return notesPaths(root, path).length > 0;
}

/** A path from the project's root, with forward slashes; undefined for the root itself and for what is outside of it. */
export function insideProject(root: string, path: string): string | undefined {
  const inside = relative(root, resolve(root, path));
  const isOutside = inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return inside === "" || isOutside ? undefined : inside.split(sep).join("/");
}
