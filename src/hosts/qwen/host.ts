import { join } from "node:path";
import { objectIn, objectsIn, textIn } from "../../engine/json.ts";
import { homeFolder } from "../../state-folder.ts";
import type { Fill, ReportedUsage } from "../context-fill.ts";
import { angleBrackets, type HookEvent, injectContext } from "../hook/event.ts";
import type { Host } from "../host.ts";
import { countIn, readSettings } from "../transcript/json-files.ts";
import {
  answerMessages,
  type TranscriptLine,
  textMessages,
  toolCallPart,
  toolResultMessage,
} from "../transcript/messages.ts";

export const qwen: Host = {
  name: "qwen",
  title: "Qwen Code",
  program: "qwen",
  userFolder: (env) => env.QWEN_HOME || join(homeFolder(env), ".qwen"),
  projectVariable: "QWEN_PROJECT_DIR",
  events: {
    SessionStart: "session-start",
    UserPromptSubmit: "prompt",
    PreCompact: "before-compaction",
    PostCompact: "after-compaction",
    PreToolUse: "memory-call",
    PostToolBatch: "after-tool",
    Stop: "turn-end",
    SessionEnd: "end",
  },
  readPayload,
  /** The context of PreCompact becomes additional instructions of the summarizer. */
  formatAnswer(event, { context = "", keep = "", refusal }) {
    if (refusal !== undefined) return refuseCall(event, refusal);
    const text = event.kind === "before-compaction" ? keep : context;
    const isInjected = ["session-start", "prompt", "after-tool", "before-compaction"].includes(event.kind);
    return isInjected && text !== "" ? injectContext(event, text) : "{}";
  },
  emptyAnswer: "{}",
  transcript: { readLine: readQwenLine, readUsage: readQwenUsage },
  transcriptFolder: (env) => join(qwen.userFolder(env), "projects"),
  forgetsStart: true,
  sharesNotepad: true,
  compaction: { restartsSession: true, limit: qwenLimit },
  mcpClient: { name: /^qwen-cli-mcp-client/ },
  escaping: angleBrackets,
  setup: async () => (await import("./setup.ts")).qwenSetup,
};

/** Qwen Code names the sub-agent in the event before a call, but not in the call. */
function refuseCall({ name }: HookEvent, reason: string): string {
  const decision = { permissionDecision: "deny", permissionDecisionReason: reason };
  return JSON.stringify({ hookSpecificOutput: { hookEventName: name, ...decision } });
}

/** One record of a Qwen Code chat file. */
function readQwenLine(line: Record<string, unknown>): TranscriptLine {
  const parts = objectsIn(objectIn(line.message).parts);
  const payload = objectIn(line.systemPayload);
  switch (line.type) {
    case "system":
      return line.subtype === "chat_compression" ? { summary: summaryIn(payload) } : undefined;
    case "user":
      // Text that hooks injected is in further parts of the message.
      return { messages: textMessages("user", textIn(payload.displayText) || textOf(parts.slice(0, 1))) };
    case "assistant": {
      const calls = parts
        .map(({ functionCall }) => objectIn(functionCall))
        .filter(({ name }) => name !== undefined)
        .map(({ id, name, args }) => toolCallPart(textIn(id), textIn(name), args ?? {}));
      return { messages: answerMessages(textOf(parts), calls) };
    }
    case "tool_result":
      return {
        messages: parts
          .map(({ functionResponse }) => objectIn(functionResponse))
          .map(({ id, name, response }) => {
            const { output, error } = objectIn(response);
            return toolResultMessage(
              textIn(id),
              textIn(name),
              textIn(error) || textIn(output),
              error !== undefined,
            );
          }),
      };
    default:
      return undefined;
  }
}

function textOf(parts: readonly Record<string, unknown>[]): string {
  return parts
    .filter(({ thought }) => thought !== true)
    .map(({ text }) => textIn(text))
    .filter((text) => text !== "")
    .join("\n");
}

/** The compressed history begins with the summary, after the messages that Qwen Code puts before every conversation. */
function summaryIn({ compressedHistory }: Record<string, unknown>): string {
  const texts = objectsIn(compressedHistory).map(({ parts }) => textOf(objectsIn(parts)));
  return texts.find((text) => text.includes("<state_snapshot>")) ?? "";
}

/** The usage of a model call. Qwen Code reports the window of a model that it knows; others have the default one. */
function readQwenUsage(record: Record<string, unknown>): ReportedUsage | undefined {
  const { usageMetadata, model, contextWindowSize } = record;
  const tokens = countIn(objectIn(usageMetadata).totalTokenCount);
  return tokens === 0
    ? undefined
    : { tokens, model: textIn(model), window: countIn(contextWindowSize) || 200_000 };
}

/**
 * The tokens at which Qwen Code compresses: a share of the window, but in time to keep 20,000 for the summary and 13,000 for
 * what comes before it.
 */
function qwenLimit({ window }: Fill, root: string, env: NodeJS.ProcessEnv = process.env): number | undefined {
  if (window === undefined) return undefined;
  const share =
    [join(root, ".qwen"), qwen.userFolder(env)]
      .map((folder) => objectIn(readSettings(join(folder, "settings.json")).context).autoCompactThreshold)
      .find((set) => typeof set === "number") ?? 0.85;
  const latest = window - 33_000;
  return latest > 0 ? Math.min(window * share, latest) : window * share;
}

/** A batch of tools has each result twice: as the model and as the user sees it. */
function readPayload(sent: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(sent.tool_calls)) return sent;
  const calls = objectsIn(sent.tool_calls).map((call) => ({
    ...call,
    tool_response: objectIn(call.tool_response).response_parts,
  }));
  return { ...sent, tool_calls: calls };
}
