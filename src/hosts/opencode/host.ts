import { join } from "node:path";
import type { Host } from "../host.ts";
import { familyRecording, familyTraits } from "../opencode-family/host.ts";

export const opencode: Host = {
  ...familyTraits,
  name: "opencode",
  title: "opencode",
  program: "opencode",
  mcpClient: { name: /^opencode$/ },
  folder: "~/.local/share/opencode",
  recording: async () => familyRecording,
  async setup() {
    const { familySetup } = await import("../opencode-family/setup.ts");
    return familySetup({
      host: "opencode",
      userFolder: ({ env, home }) =>
        env.OPENCODE_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode"),
      folder: ".opencode",
      configNames: ["opencode.json", "opencode.jsonc"],
      userConfigNames: ["config.json"],
      prefix: "OPENCODE",
    });
  },
};
