import { rmSync } from "node:fs";
import { join } from "node:path";
import { notesFolder } from "../surfaces/project/file.ts";
import { notesPaths } from "../surfaces/project/location.ts";
import type { Project } from "./project.ts";
import { namesIn } from "./small-file.ts";

/** The documents of the project's memory and their kept copies, which belong to the project and not to the store. */
export function projectDocuments({ root }: Pick<Project, "root">, path: string | undefined): string[] {
  const kept = notesFolder(root);
  const copies = namesIn(kept).filter((name) => name.endsWith(".md"));
  return [...notesPaths(root, path), ...copies.map((name) => join(kept, name))];
}

/** Removes the answers to the newest calls that wrote to NOTES.md: they have pieces of it. */
export function dropDerived({ root }: Pick<Project, "root">): void {
  rmSync(join(notesFolder(root), "keys.json"), { force: true });
}
