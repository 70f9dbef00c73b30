import { join } from "node:path";
import { homeFolder } from "../../state-folder.ts";
import type { Host } from "../host.ts";
import { familyFolder, familyRecording, familyTraits } from "../opencode-family/host.ts";

export const opencode: Host = {
  ...familyTraits,
  name: "opencode",
  title: "opencode",
  program: "opencode",
  userFolder: (env) => env.OPENCODE_CONFIG_DIR || familyFolder("opencode", env),
  mcpClient: { name: /^opencode$/ },
  transcriptFolder: (env) => join(env.XDG_DATA_HOME || join(homeFolder(env), ".local/share"), "opencode"),
  recording: async () => familyRecording,
  async setup() {
    const { familySetup } = await import("../opencode-family/setup.ts");
    return familySetup({
      host: opencode,
      folder: ".opencode",
      configNames: ["opencode.json", "opencode.jsonc"],
      userConfigNames: ["config.json"],
      prefix: "OPENCODE",
    });
  },
};
