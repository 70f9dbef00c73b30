import type { Host } from "../host.ts";
import { familyFolder, familyTraits } from "../opencode-family/host.ts";

export const kilo: Host = {
  ...familyTraits,
  name: "kilo",
  title: "Kilo Code",
  program: "kilo",
  userFolder: (env) => env.KILO_CONFIG_DIR || familyFolder("kilo", env),
  mcpClient: { name: /^kilo(?:code)?$/ },
  async setup() {
    const { familySetup } = await import("../opencode-family/setup.ts");
    return familySetup({
      host: kilo,
      folder: ".kilo",
      configNames: ["kilo.json", "kilo.jsonc"],
      prefix: "KILO",
    });
  },
};
