import { createHash } from "node:crypto";

/** The session of a client that names none: the project's own, also in a store that several projects share. */
export function projectSession(root: string): string {
  return `project-${createHash("sha256").update(root).digest("hex").slice(0, 16)}`;
}
