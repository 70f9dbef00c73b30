import { formatReply } from "../hook/answer.ts";
import type { Host } from "../host.ts";

/** Our plug-in runs inside DeepSeek Harness; the hook is for scripts that send the generic events. */
export const dsh: Host = {
  name: "dsh",
  title: "DeepSeek Harness",
  program: "dsh",
  events: {},
  formatAnswer: formatReply,
  emptyAnswer: "{}",
  compaction: {},
  setup: async () => (await import("./setup.ts")).dshSetup,
};
