import { angleBrackets, injectContext } from "../hook/event.ts";
import type { Host } from "../host.ts";
import { lastRemovedByGemini } from "./kept-tail.ts";
import { geminiLimit } from "./limit.ts";
import { newestSummary, readGeminiLine, readGeminiUsage, splitGeminiLines } from "./transcript.ts";

export const gemini: Host = {
  name: "gemini",
  title: "Gemini CLI",
  program: "gemini",
  projectVariable: "GEMINI_PROJECT_DIR",
  events: {
    SessionStart: "session-start",
    BeforeAgent: "prompt",
    AfterTool: "after-tool",
    PreCompress: "before-compaction",
    AfterAgent: "turn-end",
    SessionEnd: "end",
  },
  /** Gemini CLI expects an object for every event. */
  formatAnswer(event, { context = "" }) {
    const isInjected = context !== "" && ["prompt", "after-tool"].includes(event.kind);
    return isInjected ? injectContext(event, context) : "{}";
  },
  emptyAnswer: "{}",
  transcript: {
    readLine: readGeminiLine,
    readUsage: readGeminiUsage,
    splitLines: splitGeminiLines,
    folder: "~/.gemini/tmp",
  },
  startsWithPrompt: true,
  compaction: {
    announcesEveryRequest: true,
    lastRemoved: lastRemovedByGemini,
    newestSummary,
    limit: geminiLimit,
  },
  mcpClient: { name: /^gemini-cli-mcp-client/ },
  escaping: angleBrackets,
  setup: async () => (await import("./setup.ts")).geminiSetup,
};
