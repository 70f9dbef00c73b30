import { join } from "node:path";
import { settingsIn } from "../doctor/host-settings.ts";
import type { Places } from "../install/places.ts";

export function userFolder({ env, home }: Places): string {
  return join(env.GEMINI_CLI_HOME || home, ".gemini");
}

/** The readable settings for all projects and for this one. */
export function settingsOf(places: Places): Record<string, unknown>[] {
  return settingsIn(join(userFolder(places), "settings.json"), join(places.root, ".gemini/settings.json"));
}
