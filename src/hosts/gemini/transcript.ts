import { isObject, objectIn, objectsIn, textIn } from "../../engine/json.ts";
import { readPart } from "../transcript/file.ts";
import { parseJsonLines } from "../transcript/json-lines.ts";
import { type TranscriptLine, textMessages, toolCallPart, toolResultMessage } from "../transcript/line.ts";

/** One message of a Gemini CLI chat file. */
export function readGeminiLine(line: Record<string, unknown>): TranscriptLine {
  const text = plainText(line.content);
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

/** Older versions write one JSON document instead of lines. */
export function splitGeminiLines(text: string): Record<string, unknown>[] {
  if (!/^\s*\{\r?\n/.test(text)) {
    const lines = parseJsonLines(text).lines.map(({ value }) => value);
    return lines.length === 1 && Array.isArray(lines[0]?.messages) ? objectsIn(lines[0].messages) : lines;
  }
  try {
    const document: unknown = JSON.parse(text);
    return isObject(document) ? objectsIn(document.messages) : [];
  } catch {
    return parseJsonLines(text).lines.map(({ value }) => value);
  }
}

function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? objectsIn(content) : [objectIn(content)];
  return parts.map(({ text }) => textIn(text)).join("\n");
}

function resultText(call: Record<string, unknown>): string {
  if (typeof call.resultDisplay === "string") return call.resultDisplay;
  return call.result === undefined ? "" : JSON.stringify(call.result);
}

/** Input tokens of the newest request, which drop after a compression; undefined if the file does not record them. */
export function lastInputTokens(path: string): number | undefined {
  const tail = readPart(path, { maxBytes: 64_000 }) ?? "";
  const newest = [...tail.matchAll(/"tokens"\s*:\s*\{[^{}]*?"input"\s*:\s*(\d+)/g)].at(-1)?.[1];
  return newest === undefined ? undefined : Number(newest);
}
