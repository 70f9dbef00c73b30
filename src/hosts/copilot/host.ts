import type { Host } from "../host.ts";
import { readCopilotLine, readCopilotUsage } from "./transcript.ts";

export const copilot: Host = {
  name: "copilot",
  title: "Copilot CLI",
  program: "copilot",
  events: {
    sessionStart: "session-start",
    userPromptSubmitted: "prompt",
    postToolUse: "after-tool",
    preCompact: "before-compaction",
    agentStop: "turn-end",
    sessionEnd: "end",
  },
  /** Copilot CLI takes no text for its summariser. */
  formatAnswer(event, { context = "" }) {
    const isInjected = context !== "" && ["session-start", "prompt", "after-tool"].includes(event.kind);
    return isInjected ? JSON.stringify({ additionalContext: context }) : "{}";
  },
  emptyAnswer: "{}",
  transcript: { readLine: readCopilotLine, readUsage: readCopilotUsage, folder: "~/.copilot/session-state" },
  forgetsStart: true,
  startsAtOnce: true,
  compaction: {
    endsSilently: true,
    // It begins in the background.
    limit: ({ window }) => window && window * 0.8,
  },
  mcpClient: { name: /^copilot-cli$/ },
  setup: async () => (await import("./setup.ts")).copilotSetup,
};
