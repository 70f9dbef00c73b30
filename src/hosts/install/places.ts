import { homedir } from "node:os";
import { join, resolve } from "node:path";

export type Scope = "project" | "user";

/** Where things are: the project, the person's home, and the environment that moves them. */
export interface Places {
  scope: Scope;
  /** The project's root. */
  root: string;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
}

export function findPlaces(scope: Scope, root: string, env: Places["env"] = process.env): Places {
  return { scope, root: resolve(root), home: env.HOME || homedir(), env };
}

/** A file of a host. In a project, no link may lead it out of the project. */
export function placeAt({ scope, root }: Places, path: string): { path: string; within?: string } {
  return scope === "project" ? { path, within: root } : { path };
}

/** Where the record of what was installed is kept, with the copies of the files as they were. */
export function recordFolder({ scope, root, env, home }: Places): string {
  if (scope === "project") return join(root, ".holdfast");
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), "holdfast");
}
