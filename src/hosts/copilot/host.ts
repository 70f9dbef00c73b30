import { homedir } from "node:os";
import { join } from "node:path";
import { objectIn } from "../../engine/json.ts";
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
  readPayload,
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

/**
 * Most events lack the transcript's path, which follows from the session, and a tool's result has its own field. Copilot
 * CLI appends to the transcript about once a second, so the agent may be warned one call later than with other hosts.
 */
function readPayload(sent: Record<string, unknown>): Record<string, unknown> {
  const { sessionId, toolResult } = sent;
  if (typeof sessionId !== "string" || !/^[\w-]{1,100}$/.test(sessionId)) return sent;
  const folder = process.env.COPILOT_HOME || join(process.env.HOME || homedir(), ".copilot");
  const { textResultForLlm } = objectIn(toolResult);
  return {
    transcriptPath: join(folder, "session-state", sessionId, "events.jsonl"),
    ...(textResultForLlm === undefined ? {} : { tool_use_id: "", tool_response: textResultForLlm }),
    ...sent,
  };
}
