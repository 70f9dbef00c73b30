import { join } from "node:path";
import { homeFolder } from "../../state-folder.ts";
import { formatReply } from "../hook/event.ts";
import type { Host } from "../host.ts";

/** Our plugin runs inside OpenClaw; the hook is for scripts that send the generic events. */
export const openclaw: Host = {
  name: "openclaw",
  title: "OpenClaw",
  program: "openclaw",
  userFolder: (env) => env.OPENCLAW_STATE_DIR || join(env.OPENCLAW_HOME || homeFolder(env), ".openclaw"),
  events: {},
  formatAnswer: formatReply,
  emptyAnswer: "{}",
  offersTools: true,
  takesSystemText: true,
  compaction: {},
  setup: async () => (await import("./setup.ts")).openclawSetup,
};
