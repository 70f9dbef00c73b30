import { join } from "node:path";
import type { Places } from "../install/places.ts";

export function userFolder({ env, home }: Places): string {
  return env.PI_CODING_AGENT_DIR || join(home, ".pi", "agent");
}
