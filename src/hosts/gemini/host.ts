import { join } from "node:path";
import { plainTextOf, type StoredMessage, toolCallsOf } from "../../context/conversation.ts";
import { objectIn, objectsIn, parseObject, textIn } from "../../engine/json.ts";
import { shortHash } from "../../engine/short-hash.ts";
import { homeFolder } from "../../state-folder.ts";
import type { Fill, ReportedUsage } from "../context-fill.ts";
import { angleBrackets, injectContext } from "../hook/event.ts";
import type { Host } from "../host.ts";
import { countIn, jsonObjects, readSettings } from "../transcript/json-files.ts";
import {
  answerMessages,
  type TranscriptLine,
  textMessages,
  toolCallPart,
  toolResultMessage,
} from "../transcript/messages.ts";

export const gemini: Host = {
  name: "gemini",
  title: "Gemini CLI",
  program: "gemini",
  userFolder: (env) => join(env.GEMINI_CLI_HOME || homeFolder(env), ".gemini"),
  projectVariable: "GEMINI_PROJECT_DIR",
  events: {
    SessionStart: "session-start",
    BeforeAgent: "prompt",
    AfterTool: "after-tool",
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
  },
  transcriptFolder: (env) => join(gemini.userFolder(env), "tmp"),
  startsWithPrompt: true,
  // It announces a compaction before every request, whether or not it compacts, which would start a process each time.
  compaction: {
    lastRemoved,
    newestSummary,
    limit: geminiLimit,
  },
  mcpClient: { name: /^gemini-cli-mcp-client/ },
  escaping: angleBrackets,
  setup: async () => (await import("./setup.ts")).geminiSetup,
};

/** All models of Gemini CLI have this window. */
const window = 1_048_576;

/** The tokens at which Gemini CLI compresses: a share of the window, half of it unless the settings have another. */
function geminiLimit(_fill: Fill, root: string, env: NodeJS.ProcessEnv = process.env): number {
  const share = [join(root, ".gemini"), gemini.userFolder(env)]
    .map((folder) => objectIn(readSettings(join(folder, "settings.json")).model).compressionThreshold)
    .find((set) => typeof set === "number");
  return window * (share ?? 0.5);
}

type Line = Record<string, unknown>;

/** One message of a Gemini CLI chat file, or the summary of a compression. */
function readGeminiLine(line: Line): TranscriptLine {
  const text = plainText(line.content);
  if (line.type === "summary") return { summary: text };
  if (line.type === "user") return { messages: textMessages("user", text) };
  if (line.type !== "gemini") return undefined;
  const calls = objectsIn(line.toolCalls);
  const parts = calls.map((call) => toolCallPart(textIn(call.id), textIn(call.name), call.args ?? {}));
  const answers = calls.map((call) =>
    toolResultMessage(textIn(call.id), textIn(call.name), resultText(call), call.status === "error"),
  );
  return { messages: [...answerMessages(text, parts), ...answers] };
}

/** The usage of a model call. The line also has the results of the tools that it called. */
function readGeminiUsage({ type, tokens, model }: Line): ReportedUsage | undefined {
  const total = type === "gemini" ? countIn(objectIn(tokens).total) : 0;
  return total === 0 ? undefined : { tokens: total, model: textIn(model), isAfterResults: true };
}

/** The messages of a chat file and its summaries, in order. Older versions write one JSON document instead of lines. */
function splitGeminiLines(text: string): Line[] {
  const document = /^\s*\{\r?\n/.test(text) ? parseObject(text) : undefined;
  const lines = document ? [document] : [...jsonObjects(text)];
  if (lines.length === 1 && Array.isArray(lines[0]?.messages)) return objectsIn(lines[0].messages);
  return currentLines(lines);
}

/** A message is written again when it changes, such as when its tools have run; a rewind removes it and all after it. */
function currentLines(lines: readonly Line[]): Line[] {
  const current = new Map<string, Line>();
  for (const line of lines) {
    if (typeof line.$rewindTo === "string") rewind(current, line.$rewindTo);
    if (line.id !== undefined) current.set(String(line.id), line);
    const content = summaryIn(line);
    const id = `summary-${shortHash(content)}`;
    // Every resume writes the history again, with the summary at its start.
    if (content !== "" && !current.has(id)) current.set(id, { id, type: "summary", content });
  }
  return [...current.values()];
}

function rewind(current: Map<string, Line>, to: string): void {
  const ids = [...current.keys()];
  const at = ids.indexOf(to);
  if (at !== -1) for (const id of ids.slice(at)) current.delete(id);
}

/** The newest summary in a part of a chat file, which shows that the chat was compressed. */
function newestSummary(part: string): string {
  if (!part.includes(snapshot)) return "";
  return [...jsonObjects(part)].map(summaryIn).findLast((text) => text !== "") ?? "";
}

const snapshot = "<state_snapshot>";

/** A line with the whole history, which begins with the summary if it was compressed, after what comes before every chat. */
function summaryIn({ $set }: Line): string {
  const texts = objectsIn(objectIn($set).messages).map(({ content }) => plainText(content));
  const first = texts.find((text) => !text.startsWith("<session_context>")) ?? "";
  return first.includes(snapshot) ? first : "";
}

/** Without what hooks have added to a prompt. */
function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? objectsIn(content) : [objectIn(content)];
  return parts
    .map(({ text }) => textIn(text).replace(/^<hook_context>[\s\S]*?<\/hook_context>\s*/, ""))
    .filter((text) => text !== "")
    .join("\n");
}

function resultText(call: Record<string, unknown>): string {
  if (typeof call.resultDisplay === "string") return call.resultDisplay;
  return call.result === undefined ? "" : JSON.stringify(call.result);
}

/** The share of the conversation, in characters, that Gemini CLI replaces with a summary. */
const compressed = 0.7;

/**
 * The last message that Gemini CLI removes: those before the first prompt of the user behind 70 % of the conversation. If
 * there is no such prompt, all up to the last prompt, or all if the model has finished its answer.
 */
export function lastRemoved(messages: readonly StoredMessage[]): number {
  const sizes = messages.map(({ message }) => plainTextOf(message).length);
  const target = sizes.reduce((sum, size) => sum + size, 0) * compressed;
  let [seen, lastPrompt] = [0, 0];
  for (const [index, { message }] of messages.entries()) {
    if (message.role === "user") {
      if (seen >= target) return messages[index - 1]?.number || messages.length;
      lastPrompt = index;
    }
    seen += sizes[index] ?? 0;
  }
  const last = messages.at(-1);
  const isAnswered = last?.message.role === "assistant" && toolCallsOf(last).length === 0;
  // Without a cut there is no compaction, so Gemini CLI must have cut elsewhere.
  return (isAnswered ? last.number : messages[lastPrompt - 1]?.number) || messages.length;
}
