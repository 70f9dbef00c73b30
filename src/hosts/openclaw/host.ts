import { formatReply } from "../hook/event.ts";
import type { Host } from "../host.ts";

/** Our plugin runs inside OpenClaw; the hook is for scripts that send the generic events. */
export const openclaw: Host = {
  name: "openclaw",
  title: "OpenClaw",
  program: "openclaw",
  events: {},
  formatAnswer: formatReply,
  emptyAnswer: "{}",
  offersTools: true,
  takesSystemText: true,
  compaction: {},
  setup: async () => (await import("./setup.ts")).openclawSetup,
};
