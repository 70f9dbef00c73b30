import { join } from "node:path";
import type { Places } from "../install/places.ts";

export function userFolder({ env, home }: Places): string {
  return env.OPENCLAW_STATE_DIR || join(env.OPENCLAW_HOME || home, ".openclaw");
}

export function configFile(places: Places): string {
  return places.env.OPENCLAW_CONFIG_PATH || join(userFolder(places), "openclaw.json");
}
