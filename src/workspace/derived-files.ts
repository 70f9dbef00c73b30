import { rmSync } from "node:fs";
import { join } from "node:path";
import { notesPaths } from "../surfaces/project/notes-md/places.ts";
import type { Project } from "./project.ts";
import { namesIn } from "./small-file.ts";

/** The documents of the project's memory and their kept copies, which belong to the project and not to the store. */
export function projectDocuments({ root }: Pick<Project, "root">, path: string | undefined): string[] {
  const kept = join(root, ".holdfast", "project");
  const copies = namesIn(kept).filter((name) => name.endsWith(".md"));
  return [...notesPaths(root, path), ...copies.map((name) => join(kept, name))];
}

/**
 * Removes what Holdfast keeps beside the store to start faster, and makes again when it is needed: it may contain parts of
 * what was redacted or purged.
 */
export function dropDerived({ root, directory }: Pick<Project, "root" | "directory">): void {
  // How to undo the newest changes of NOTES.md: it has pieces of them.
  rmSync(join(root, ".holdfast", "project", "undo.json"), { force: true });
  rmSync(join(directory, "cache"), { recursive: true, force: true });
  const links = join(directory, "links");
  for (const name of namesIn(links))
    if (name.startsWith("rules-")) rmSync(join(links, name), { force: true });
}
