import { createHash } from "node:crypto";
import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { findProject, makeProjectDirectory } from "../workspace/project.ts";

/** The database of the project that the working directory belongs to. */
export function projectStore(): string {
  return join(findProject(process.cwd()).directory, "memory.db");
}

/** Makes the project's folder, for its owner only, before a database is made in it. */
export function prepareProjectStore(): void {
  const { directory } = findProject(process.cwd());
  try {
    makeProjectDirectory(directory);
    // It may have come with the repository, open to everybody.
    if ((statSync(directory).mode & 0o077) !== 0) chmodSync(directory, 0o700);
  } catch {
    // Where nothing can be written, the store says so better.
  }
}

/** The session of those who come without one: the project's own, also in a store that several projects share. */
export function projectSession(root: string): string {
  return `project-${createHash("sha256").update(root).digest("hex").slice(0, 16)}`;
}
