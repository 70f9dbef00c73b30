import { join } from "node:path";
import type { HostSetup } from "../host-setup.ts";
import { familySetup } from "../opencode-family/setup.ts";

export const kiloSetup: HostSetup = familySetup({
  host: "kilo",
  userFolder: ({ env, home }) =>
    env.KILO_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(home, ".config"), "kilo"),
  folder: ".kilo",
  configNames: ["kilo.json", "kilo.jsonc"],
  prefix: "KILO",
});
