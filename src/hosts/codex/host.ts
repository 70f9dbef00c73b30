import { injectContext } from "../hook/answer.ts";
import type { Host } from "../host.ts";
import { readCodexLine } from "./transcript.ts";

export const codex: Host = {
  name: "codex",
  title: "Codex",
  program: "codex",
  events: {
    SessionStart: "session-start",
    UserPromptSubmit: "prompt",
    PreCompact: "before-compaction",
    PostCompact: "after-compaction",
    Stop: "turn-end",
    SessionEnd: "end",
  },
  /** Before a compaction Codex requires an object, and accepts no text for its summariser. */
  formatAnswer(event, { context = "" }) {
    if (event.kind === "before-compaction") return "{}";
    const isInjected = context !== "" && ["session-start", "prompt"].includes(event.kind);
    return isInjected ? injectContext(event, context) : "";
  },
  emptyAnswer: "",
  transcript: { readLine: readCodexLine },
  compaction: {
    restartsSession: true,
    startsAt: (contextWindow) => contextWindow * 0.9,
  },
  mcpClient: {
    name: /^codex-mcp-client$/,
    conversation: ({ threadId }) => (typeof threadId === "string" ? threadId : undefined),
  },
  recording: async () => (await import("./recording.ts")).codexRecording,
  setup: async () => (await import("./setup.ts")).codexSetup,
};
