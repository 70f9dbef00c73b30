import { join } from "node:path";
import type { HostSetup } from "../host-setup.ts";
import { familySetup } from "../opencode-family/setup.ts";

export const opencodeSetup: HostSetup = familySetup({
  host: "opencode",
  userFolder: ({ env, home }) =>
    env.OPENCODE_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode"),
  folder: ".opencode",
  configNames: ["opencode.json", "opencode.jsonc"],
  userConfigNames: ["config.json"],
  prefix: "OPENCODE",
});
