import type { Host } from "./host.ts";
import { hosts } from "./hosts.ts";

/** Where a coding agent's session runs, as its hooks reported it last. */
export interface SessionPlace {
  transcript: string;
  cwd: string;
}

/** The host of a session, by its id; undefined for a session of no host. */
export function hostOfSession(sessionId: string): Host | undefined {
  return hosts.find(({ name }) => sessionId.startsWith(`${name}.`));
}
