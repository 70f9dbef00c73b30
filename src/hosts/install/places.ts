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

/** Folders in which hosts keep what holds for every project of this person. */
export const userFolder = {
  claudeCode: ({ env, home }: Places) => env.CLAUDE_CONFIG_DIR || join(home, ".claude"),
  codex: ({ env, home }: Places) => env.CODEX_HOME || join(home, ".codex"),
  opencode: ({ env, home }: Places) =>
    env.OPENCODE_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode"),
  gemini: ({ env, home }: Places) => join(env.GEMINI_CLI_HOME || home, ".gemini"),
  pi: ({ env, home }: Places) => env.PI_CODING_AGENT_DIR || join(home, ".pi", "agent"),
  openclaw: ({ env, home }: Places) => env.OPENCLAW_STATE_DIR || join(env.OPENCLAW_HOME || home, ".openclaw"),
  holdfast: ({ env, home }: Places) => join(env.XDG_CONFIG_HOME || join(home, ".config"), "holdfast"),
};

/** Where the record of what was installed is kept, with the copies of the files as they were. */
export function recordFolder(places: Places): string {
  return places.scope === "user" ? userFolder.holdfast(places) : join(places.root, ".holdfast");
}
