import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, objectIn, objectsIn, textIn } from "../../engine/json.ts";
import { makeProjectDirectory } from "../../workspace/project.ts";
import { sessionIdOf } from "../session-link.ts";
import {
  type Message,
  type TranscriptLine,
  textMessages,
  toolCallPart,
  toolResultMessage,
} from "../transcript/line.ts";

/** Writes a conversation to a file that the hook, and later the agent, can read. These hosts have no such file. */
export function writeTranscript(
  directory: string,
  host: string,
  hostSession: string,
  messages: unknown,
): string {
  if (!Array.isArray(messages) || messages.length === 0) return "";
  makeProjectDirectory(directory);
  const folder = join(directory, "transcripts");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${sessionIdOf(host, hostSession)}.jsonl`);
  const lines = messages.map((message) => `${JSON.stringify(message)}\n`);
  writeFileSync(path, lines.join(""), { mode: 0o600 });
  return path;
}

/** One message with its parts. A message marked as summary replaces the compacted messages before it. */
export function readOpencodeLine(line: Record<string, unknown>): TranscriptLine {
  const info = objectIn(line.info);
  const parts = objectsIn(line.parts);
  const text = parts.map((part) => (part.type === "text" ? textIn(part.text) : "")).join("\n");
  if (info.role === "user") return { messages: textMessages("user", text.trim()) };
  if (info.role !== "assistant") return undefined;
  if (info.summary === true) return { summary: text.trim() };
  return { messages: [...textMessages("assistant", text.trim()), ...parts.flatMap(toolMessages)] };
}

function toolMessages(part: Record<string, unknown>): Message[] {
  if (part.type !== "tool" || !isObject(part.state)) return [];
  const { status, input, output, error } = part.state;
  const id = textIn(part.callID);
  const tool = textIn(part.tool);
  const call: Message = { role: "assistant", content: [toolCallPart(id, tool, input ?? {})] };
  if (status === "error") return [call, toolResultMessage(id, tool, textIn(error), true)];
  return status === "completed" ? [call, toolResultMessage(id, tool, textIn(output), false)] : [call];
}
