import { isObject, objectIn, objectsIn, textIn } from "../../engine/json.ts";
import { shortHash } from "../../engine/short-hash.ts";
import type { ReportedUsage } from "../fill.ts";
import { countIn, jsonObjects } from "../transcript/file.ts";
import { type TranscriptLine, textMessages, toolCallPart, toolResultMessage } from "../transcript/line.ts";

type Line = Record<string, unknown>;

/** One message of a Gemini CLI chat file, or the summary of a compression. */
export function readGeminiLine(line: Line): TranscriptLine {
  const text = plainText(line.content);
  if (line.type === "summary") return { summary: text };
  if (line.type === "user") return { messages: textMessages("user", text) };
  if (line.type !== "gemini") return undefined;
  const calls = objectsIn(line.toolCalls);
  const texts = text.trim() === "" ? [] : [{ type: "text" as const, text }];
  const parts = calls.map((call) => toolCallPart(textIn(call.id), textIn(call.name), call.args ?? {}));
  const answers = calls.map((call) =>
    toolResultMessage(textIn(call.id), textIn(call.name), resultText(call), call.status === "error"),
  );
  if (texts.length + parts.length === 0) return undefined;
  return { messages: [{ role: "assistant", content: [...texts, ...parts] }, ...answers] };
}

/** The usage of a model call. The line also has the results of the tools that it called. */
export function readGeminiUsage({ type, tokens, model }: Line): ReportedUsage | undefined {
  const total = type === "gemini" ? countIn(objectIn(tokens).total) : 0;
  return total === 0 ? undefined : { tokens: total, model: textIn(model), isAfterResults: true };
}

/** The messages of a chat file and its summaries, in order. Older versions write one JSON document instead of lines. */
export function splitGeminiLines(text: string): Line[] {
  const document = /^\s*\{\r?\n/.test(text) ? documentIn(text) : undefined;
  const lines = document ? [document] : [...jsonObjects(text)];
  if (lines.length === 1 && Array.isArray(lines[0]?.messages)) return objectsIn(lines[0].messages);
  return currentLines(lines);
}

function documentIn(text: string): Line | undefined {
  try {
    const document: unknown = JSON.parse(text);
    return isObject(document) ? document : undefined;
  } catch {
    return undefined;
  }
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
export function newestSummary(part: string): string {
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
