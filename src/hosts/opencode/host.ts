import { formatReply } from "../hook/answer.ts";
import type { Host } from "../host.ts";
import { readOpencodeLine } from "./transcript.ts";

/** Our plugin runs the hook and sends it the generic events. */
export const opencode: Host = {
  name: "opencode",
  title: "opencode",
  program: "opencode",
  events: {},
  formatAnswer: formatReply,
  emptyAnswer: "{}",
  transcript: { readLine: readOpencodeLine },
  compaction: {},
  mcpClient: { name: /^opencode$/ },
  setup: async () => (await import("./setup.ts")).opencodeSetup,
};
