import { injectContext } from "../hook/event.ts";
import type { Host } from "../host.ts";
import { claudeLimit } from "./limit.ts";
import { readClaudeLine, readClaudeUsage } from "./transcript.ts";

const putOff = JSON.stringify({ decision: "block", reason: "The agent saves its notes first." });

export const claudeCode: Host = {
  name: "claude-code",
  title: "Claude Code",
  program: "claude",
  projectVariable: "CLAUDE_PROJECT_DIR",
  events: {
    SessionStart: "session-start",
    UserPromptSubmit: "prompt",
    PreCompact: "before-compaction",
    PostCompact: "after-compaction",
    PreToolUse: "memory-call",
    SubagentStart: "sub-agent",
    PostToolBatch: "after-tool",
    Stop: "turn-end",
    SessionEnd: "end",
  },
  inServer: {
    UserPromptSubmit: ["prompt"],
    PreToolUse: ["agent_id", "tool_use_id"],
    SubagentStart: ["agent_id"],
    PostToolBatch: ["agent_id", "tool_calls"],
    Stop: ["last_assistant_message", "stop_hook_active"],
  },
  /** The summariser takes plain text; after a compaction Claude Code accepts nothing. */
  formatAnswer(event, { context = "", keep = "", notice, isPutOff }) {
    if (event.kind === "before-compaction") return isPutOff ? putOff : keep;
    return context !== "" && event.kind !== "after-compaction" ? injectContext(event, context, notice) : "";
  },
  emptyAnswer: "",
  transcript: { readLine: readClaudeLine, readUsage: readClaudeUsage },
  compaction: {
    restartsSession: true,
    limit: claudeLimit,
    spare: 10_000,
    warnsAtTurnEnd: true,
  },
  mcpClient: { name: /^claude-code$/ },
  recording: async () => (await import("./recording.ts")).claudeRecording,
  setup: async () => (await import("./setup.ts")).claudeCodeSetup,
};
