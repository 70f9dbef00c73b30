import { join } from "node:path";
import { objectIn, objectsIn, textIn } from "../../engine/json.ts";
import { homeFolder } from "../../state-folder.ts";
import type { ReportedUsage } from "../context-fill.ts";
import type { Host } from "../host.ts";
import { countIn } from "../transcript/json-files.ts";
import {
  answerMessages,
  type TranscriptLine,
  textMessages,
  toolCallPart,
  toolResultMessage,
} from "../transcript/messages.ts";

export const copilot: Host = {
  name: "copilot",
  title: "Copilot CLI",
  program: "copilot",
  userFolder: (env) => env.COPILOT_HOME || join(homeFolder(env), ".copilot"),
  projectVariable: "COPILOT_PROJECT_DIR",
  events: {
    sessionStart: "session-start",
    userPromptSubmitted: "prompt",
    postToolUse: "after-tool",
    preCompact: "before-compaction",
    agentStop: "turn-end",
    sessionEnd: "end",
  },
  readPayload,
  /** Copilot CLI takes no text for its summarizer. */
  formatAnswer(event, { context = "" }) {
    const isInjected = context !== "" && ["session-start", "prompt", "after-tool"].includes(event.kind);
    return isInjected ? JSON.stringify({ additionalContext: context }) : "{}";
  },
  emptyAnswer: "{}",
  transcript: { readLine: readCopilotLine, readUsage: readCopilotUsage },
  transcriptFolder: (env) => join(copilot.userFolder(env), "session-state"),
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
  const folder = copilot.userFolder(process.env);
  const { textResultForLlm } = objectIn(toolResult);
  return {
    transcriptPath: join(folder, "session-state", sessionId, "events.jsonl"),
    ...(textResultForLlm === undefined ? {} : { tool_use_id: "", tool_response: textResultForLlm }),
    ...sent,
  };
}

/** One event of a Copilot CLI session. */
function readCopilotLine({ type, data }: Record<string, unknown>): TranscriptLine {
  const event = objectIn(data);
  switch (type) {
    case "user.message":
      return { messages: textMessages("user", textIn(event.content)) };
    case "assistant.message": {
      const calls = objectsIn(event.toolRequests).map(({ toolCallId, name, arguments: input }) =>
        toolCallPart(textIn(toolCallId), textIn(name), input ?? {}),
      );
      return { messages: answerMessages(textIn(event.content), calls) };
    }
    case "tool.execution_complete": {
      const { toolCallId, success, result, error } = event;
      const text = textIn(objectIn(result).content) || textIn(objectIn(error).message);
      return { messages: [toolResultMessage(textIn(toolCallId), "tool", text, success === false)] };
    }
    case "session.compaction_complete":
      return { summary: textIn(event.summaryContent) };
    default:
      return undefined;
  }
}

/** The usage of a model call. The window is what a prompt may have. */
function readCopilotUsage({ type, data }: Record<string, unknown>): ReportedUsage | undefined {
  if (type !== "session.usage_record") return undefined;
  const { inputTokens, outputTokens, maxPromptTokens, model } = objectIn(objectIn(data).usage);
  const tokens = countIn(inputTokens) + countIn(outputTokens);
  const window = countIn(maxPromptTokens);
  return tokens === 0 ? undefined : { tokens, model: textIn(model), ...(window > 0 ? { window } : {}) };
}
