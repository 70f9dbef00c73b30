import { formatReply } from "../hook/answer.ts";
import type { Host } from "../host.ts";
import { lastRemovedByPi } from "./kept-tail.ts";

/** Our extension runs inside pi; the hook is for scripts that send the generic events. */
export const pi: Host = {
  name: "pi",
  title: "pi",
  program: "pi",
  events: {},
  formatAnswer: formatReply,
  emptyAnswer: "{}",
  takesSystemText: true,
  compaction: { lastRemoved: lastRemovedByPi },
  recording: async () => (await import("./recording.ts")).piRecording,
  sessionFile: async () => (await import("./session-document.ts")).piSessionFile,
  setup: async () => (await import("./setup.ts")).piSetup,
};
