import { join } from "node:path";
import type { Host } from "../host.ts";
import { familyHost } from "../opencode-family/host.ts";

export const kilo: Host = familyHost({
  name: "kilo",
  title: "Kilo Code",
  program: "kilo",
  mcpClient: { name: /^kilo(?:code)?$/ },
  setup: {
    userFolder: ({ env, home }) =>
      env.KILO_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(home, ".config"), "kilo"),
    folder: ".kilo",
    configNames: ["kilo.json", "kilo.jsonc"],
    prefix: "KILO",
  },
});
