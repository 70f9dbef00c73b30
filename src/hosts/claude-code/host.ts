import { reserving } from "../compaction-limit.ts";
import { injectContext } from "../hook/answer.ts";
import type { Host } from "../host.ts";
import { readClaudeLine } from "./transcript.ts";

export const claudeCode: Host = {
  name: "claude-code",
  title: "Claude Code",
  program: "claude",
  events: {
    SessionStart: "session-start",
    UserPromptSubmit: "prompt",
    PreCompact: "before-compaction",
    PostCompact: "after-compaction",
    Stop: "turn-end",
    SessionEnd: "end",
  },
  /** The summariser takes plain text; after a compaction Claude Code accepts nothing. */
  formatAnswer(event, { context = "", keep = "" }) {
    if (event.kind === "before-compaction") return keep;
    const isInjected = context !== "" && ["session-start", "prompt"].includes(event.kind);
    return isInjected ? injectContext(event, context) : "";
  },
  emptyAnswer: "",
  transcript: { readLine: readClaudeLine },
  compaction: {
    restartsSession: true,
    // 20,000 for the summary and 13,000 for what comes before it.
    startsAt: reserving(33_000),
  },
  mcpClient: { name: /^claude-code$/ },
  recording: async () => (await import("./recording.ts")).claudeRecording,
  setup: async () => (await import("./setup.ts")).claudeCodeSetup,
};
