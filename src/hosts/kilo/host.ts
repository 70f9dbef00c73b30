import { join } from "node:path";
import type { Host } from "../host.ts";
import { familyTraits } from "../opencode-family/host.ts";

export const kilo: Host = {
  ...familyTraits,
  name: "kilo",
  title: "Kilo Code",
  program: "kilo",
  mcpClient: { name: /^kilo(?:code)?$/ },
  async setup() {
    const { familySetup } = await import("../opencode-family/setup.ts");
    return familySetup({
      host: "kilo",
      userFolder: ({ env, home }) =>
        env.KILO_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(home, ".config"), "kilo"),
      folder: ".kilo",
      configNames: ["kilo.json", "kilo.jsonc"],
      prefix: "KILO",
    });
  },
};
