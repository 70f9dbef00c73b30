import { join } from "node:path";
import type { Host } from "../host.ts";
import { familyHost, familyRecording } from "../opencode-family/host.ts";

export const opencode: Host = {
  ...familyHost({
    name: "opencode",
    title: "opencode",
    program: "opencode",
    mcpClient: { name: /^opencode$/ },
    setup: {
      userFolder: ({ env, home }) =>
        env.OPENCODE_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode"),
      folder: ".opencode",
      configNames: ["opencode.json", "opencode.jsonc"],
      userConfigNames: ["config.json"],
      prefix: "OPENCODE",
    },
  }),
  recording: async () => familyRecording("~/.local/share/opencode"),
};
