import type { Host } from "../host.ts";
import { familyTraits } from "../opencode-family/host.ts";

export const kilo: Host = {
  ...familyTraits,
  name: "kilo",
  title: "Kilo Code",
  program: "kilo",
  mcpClient: { name: /^kilo(?:code)?$/ },
  setup: async () => (await import("./setup.ts")).kiloSetup,
};
