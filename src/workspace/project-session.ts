import { createHash } from "node:crypto";

/** The session id for clients that name none: one per project, even in a store shared by several projects. */
export function projectSession(root: string): string {
  return `project-${createHash("sha256").update(root).digest("hex").slice(0, 16)}`;
}
