import { join } from "node:path";
import type { Places } from "../install/places.ts";

export function userFolder({ env, home }: Places): string {
  return env.CLAUDE_CONFIG_DIR || join(home, ".claude");
}

/** Servers for all projects, and the user's decisions about each project. */
export function userSettings({ env, home }: Places): string {
  return join(env.CLAUDE_CONFIG_DIR || home, ".claude.json");
}
