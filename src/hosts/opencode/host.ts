import type { Host } from "../host.ts";
import { familyTraits } from "../opencode-family/host.ts";

export const opencode: Host = {
  ...familyTraits,
  name: "opencode",
  title: "opencode",
  program: "opencode",
  mcpClient: { name: /^opencode$/ },
  recording: async () => (await import("./recording.ts")).opencodeRecording,
  setup: async () => (await import("./setup.ts")).opencodeSetup,
};
