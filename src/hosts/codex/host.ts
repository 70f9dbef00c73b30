import { injectContext } from "../hook/event.ts";
import type { Host } from "../host.ts";
import { codexLimit } from "./limit.ts";
import { readCodexLine, readCodexUsage } from "./transcript.ts";

export const codex: Host = {
  name: "codex",
  title: "Codex",
  program: "codex",
  events: {
    SessionStart: "session-start",
    UserPromptSubmit: "prompt",
    PreCompact: "before-compaction",
    PostCompact: "after-compaction",
    PostToolUse: "after-tool",
    Stop: "turn-end",
    SessionEnd: "end",
  },
  // A hook fails if a field is missing from the event.
  inServer: {
    UserPromptSubmit: ["prompt"],
    PostToolUse: ["tool_use_id", "tool_response"],
    Stop: ["stop_hook_active"],
  },
  /** Before a compaction Codex requires an object, and accepts no text for its summariser. */
  formatAnswer(event, { context = "", notice }) {
    if (event.kind === "before-compaction") return "{}";
    const isInjected = context !== "" && ["session-start", "prompt", "after-tool"].includes(event.kind);
    return isInjected ? injectContext(event, context, notice) : "";
  },
  emptyAnswer: "",
  transcript: { readLine: readCodexLine, readUsage: readCodexUsage },
  compaction: {
    restartsSession: true,
    limit: codexLimit,
  },
  mcpClient: {
    name: /^codex-mcp-client$/,
    conversation: ({ threadId }) => (typeof threadId === "string" ? threadId : undefined),
  },
  recording: async () => (await import("./recording.ts")).codexRecording,
  setup: async () => (await import("./setup.ts")).codexSetup,
};
