import { angleBrackets, injectContext } from "../hook/event.ts";
import type { Host } from "../host.ts";
import { readQwenLine, readQwenUsage } from "./transcript.ts";

export const qwen: Host = {
  name: "qwen",
  title: "Qwen Code",
  program: "qwen",
  projectVariable: "QWEN_PROJECT_DIR",
  events: {
    SessionStart: "session-start",
    UserPromptSubmit: "prompt",
    PreCompact: "before-compaction",
    PostCompact: "after-compaction",
    Stop: "turn-end",
    SessionEnd: "end",
  },
  /** The context of PreCompact becomes additional instructions of the summariser. */
  formatAnswer(event, { context = "", keep = "" }) {
    const text = event.kind === "before-compaction" ? keep : context;
    const isInjected = ["session-start", "prompt", "before-compaction"].includes(event.kind);
    return isInjected && text !== "" ? injectContext(event, text) : "{}";
  },
  emptyAnswer: "{}",
  transcript: { readLine: readQwenLine, readUsage: readQwenUsage, folder: "~/.qwen/projects" },
  forgetsStart: true,
  compaction: { restartsSession: true },
  mcpClient: { name: /^qwen-cli-mcp-client/ },
  escaping: angleBrackets,
  setup: async () => (await import("./setup.ts")).qwenSetup,
};
