import { join } from "node:path";
import { isObject, objectIn, objectsIn, textIn } from "../../engine/json.ts";
import { homeFolder } from "../../state-folder.ts";
import type { Fill, ReportedUsage } from "../context-fill.ts";
import { injectContext } from "../hook/event.ts";
import type { Host } from "../host.ts";
import { countIn, readPart } from "../transcript/json-files.ts";
import {
  type TranscriptLine,
  textMessages,
  toolCallPart,
  toolResultMessage,
} from "../transcript/messages.ts";

export const codex: Host = {
  name: "codex",
  title: "Codex",
  program: "codex",
  userFolder: (env) => env.CODEX_HOME || join(homeFolder(env), ".codex"),
  events: {
    SessionStart: "session-start",
    UserPromptSubmit: "prompt",
    PreCompact: "before-compaction",
    PostCompact: "after-compaction",
    SubagentStart: "sub-agent",
    PostToolUse: "after-tool",
    Stop: "turn-end",
    SessionEnd: "end",
  },
  // A hook fails if a field is missing from the event.
  inServer: {
    UserPromptSubmit: ["prompt"],
    SubagentStart: ["agent_id"],
    PostToolUse: ["tool_use_id", "tool_input", "tool_response"],
    Stop: ["stop_hook_active"],
  },
  readPayload,
  /** Before a compaction Codex requires an object, and accepts no text for its summarizer. */
  formatAnswer(event, { context = "", notice }) {
    if (event.kind === "before-compaction") return "{}";
    const isInjected =
      context !== "" && ["session-start", "prompt", "sub-agent", "after-tool"].includes(event.kind);
    return isInjected ? injectContext(event, context, notice) : "";
  },
  emptyAnswer: "",
  transcript: { readLine: readCodexLine, readUsage: readCodexUsage },
  transcriptFolder: (env) => join(codex.userFolder(env), "sessions"),
  compaction: {
    restartsSession: true,
    limit: codexLimit,
  },
  mcpClient: {
    name: /^codex-mcp-client$/,
    conversation: ({ threadId }) => (typeof threadId === "string" ? threadId : undefined),
    subAgent(meta) {
      const { session_id: conversation, thread_id: id } = objectIn(meta["x-codex-turn-metadata"]);
      const isOther = typeof conversation === "string" && typeof id === "string" && id !== conversation;
      return isOther ? { conversation, id } : undefined;
    },
  },
  // Rollouts count the context, but not by call and model.
  recording: async () => ({
    matches: (lines) => lines.some((line) => line.type === "response_item" && "payload" in line),
  }),
  setup: async () => (await import("./setup.ts")).codexSetup,
};

/** The events of a sub-agent have the id of the conversation that it works for, and the path of its own rollout. */
function readPayload(sent: Record<string, unknown>): Record<string, unknown> {
  const [, thread] = /([\da-f]{8}-[\da-f-]{27})\.jsonl$/.exec(textIn(sent.transcript_path)) ?? [];
  return thread === undefined || thread === sent.session_id ? sent : { agent_id: thread, ...sent };
}

/** The tokens at which Codex compacts: its own setting, or nine tenths of the window that the rollout reports. */
function codexLimit(
  { window }: Fill,
  root: string,
  env: NodeJS.ProcessEnv = process.env,
): number | undefined {
  for (const folder of [join(root, ".codex"), codex.userFolder(env)]) {
    const config = readPart(join(folder, "config.toml")) ?? "";
    const [, tokens] = /^model_auto_compact_token_limit\s*=\s*([\d_]+)/m.exec(config) ?? [];
    if (tokens !== undefined) return Number(tokens.replaceAll("_", ""));
  }
  return window && window * 0.9;
}

/** One line of a Codex rollout. */
function readCodexLine(line: Record<string, unknown>): TranscriptLine {
  const payload = objectIn(line.payload);
  if (line.type === "compacted") return { summary: textIn(payload.message) };
  if (line.type !== "response_item") return undefined;
  const id = textIn(payload.call_id);
  switch (payload.type) {
    case "message":
      return { messages: messageText(payload) };
    case "function_call":
    case "custom_tool_call":
      return { messages: [{ role: "assistant", content: callParts(id, payload) }] };
    case "local_shell_call":
      return {
        messages: [
          { role: "assistant", content: [toolCallPart(id, "shell", withCommand(objectIn(payload.action)))] },
        ],
      };
    case "function_call_output":
    case "custom_tool_call_output":
      return { messages: [toolResultMessage(id, "tool", ...outcome(payload.output))] };
    default:
      return undefined;
  }
}

/** The usage of the last model call, which Codex writes as an event of its own. */
function readCodexUsage(line: Record<string, unknown>): ReportedUsage | undefined {
  const payload = objectIn(line.payload);
  if (line.type !== "event_msg" || payload.type !== "token_count") return undefined;
  const info = objectIn(payload.info);
  const tokens = countIn(objectIn(info.last_token_usage).total_tokens);
  const window = countIn(info.model_context_window);
  return tokens === 0 ? undefined : { tokens, isAfterResults: true, ...(window > 0 ? { window } : {}) };
}

function messageText({ role, content }: Record<string, unknown>): ReturnType<typeof textMessages> {
  if (role !== "user" && role !== "assistant") return [];
  const text = objectsIn(content)
    .map((part) => textIn(part.text))
    .join("\n");
  // Codex writes its own context as user messages.
  if (role === "user" && /^\s*(?:<[a-z_]+>|# AGENTS\.md)/.test(text)) return [];
  return textMessages(role, text);
}

function callParts(id: string, payload: Record<string, unknown>): ReturnType<typeof toolCallPart>[] {
  const name = textIn(payload.name);
  const source = textIn(payload.arguments) || textIn(payload.input);
  const input = withCommand(objectIn(parse(source)));
  const patch = name === "apply_patch" ? textIn(input.input) || source : textIn(input.command);
  const files = [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, path]) => path);
  if (files.length === 0) return [toolCallPart(id, name, input)];
  return files.map((path) => toolCallPart(id, "apply_patch", { path }));
}

/** A command may be a list of words, usually a shell with its script. */
function withCommand(input: Record<string, unknown>): Record<string, unknown> {
  const words = input.command;
  if (!Array.isArray(words)) return input;
  const isShell = words.length === 3 && /^-\w*c$/.test(String(words[1]));
  return { ...input, command: isShell ? String(words[2]) : words.join(" ") };
}

function outcome(output: unknown): [text: string, isError: boolean] {
  const value = typeof output === "string" ? (parse(output) ?? output) : output;
  if (typeof value === "string") return [value, false];
  if (!isObject(value)) return [plainText(value), false];
  const code = objectIn(value.metadata).exit_code;
  const text = textIn(value.output) || textIn(value.content) || JSON.stringify(value);
  return [text, (typeof code === "number" && code !== 0) || value.success === false];
}

function plainText(content: unknown): string {
  return objectsIn(content)
    .map(({ text }) => textIn(text))
    .join("\n");
}

function parse(source: string): unknown {
  if (!/^\s*[[{]/.test(source)) return undefined;
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}
