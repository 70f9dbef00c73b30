import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ModelMessage } from "ai";
import { estimateTokens } from "../context/estimate-tokens.ts";
import { objectIn, parseObject } from "../engine/json.ts";
import { stateFolder } from "../state-folder.ts";
import { readSmallFile, writeSmallFile } from "../workspace/small-file.ts";
import type { Host, TranscriptFormat } from "./host.ts";
import { readPart, timeIn } from "./transcript/json-files.ts";

/** The tokens of a model call, as the host's transcript reports them. */
export interface ReportedUsage {
  /** Those of the prompt and of the answer. */
  tokens: number;
  model?: string;
  /** The context window, if the host reports it. */
  window?: number;
  /** The host writes the usage after the results of the call, which it does not include. */
  isAfterResults?: boolean;
}

/** How full the context of a conversation is. */
export interface Fill {
  tokens: number;
  /** "" if the host does not report it. */
  model: string;
  window: number | undefined;
  /** The transcript has the call whose results were given, or the last text. A host may write it a moment later. */
  isCurrent: boolean;
}

/** A tool call that has just ended. A host may write it to the transcript a moment later. */
export interface ToolResult {
  /** "" if the host does not name the call. */
  id: string;
  /** The arguments of the call, if the host reports them. */
  input?: string;
  text: string;
}

/** A call and its results have fewer lines. A transcript without usage is not read further. */
const maxLines = 60;

/** A part of this many bytes at the end of a transcript contains the last call, except after a very long result. */
const tailBytes = [256_000, 8_000_000];

export interface FillOptions {
  /** The results of the tools that have just run. */
  results?: readonly ToolResult[];
  /** The agent's last words, at the end of a turn. */
  lastText?: string;
  /** When the last compaction was, in case the host has not written it to the transcript yet. */
  since?: number | undefined;
}

/**
 * The usage of the last model call in a transcript, and an estimate of everything that came after it. Undefined if the
 * transcript reports no usage since the last compaction.
 */
export function readFill(host: Host, path: string, options: FillOptions = {}): Fill | undefined {
  const { transcript } = host;
  if (!transcript?.readUsage) return undefined;
  for (const maxBytes of tailBytes) {
    const part = readPart(path, { maxBytes });
    if (part === undefined) return undefined;
    const fill = fillIn(part, transcript, options);
    if (fill) return fill;
    if (part.length < maxBytes / 4) return undefined;
  }
  return undefined;
}

/** Reads a part of a transcript from its end. */
function fillIn(
  part: string,
  { readLine, readUsage }: TranscriptFormat,
  { results = [], lastText = "", since = 0 }: FillOptions,
): Fill | undefined {
  let usage: ReportedUsage | undefined;
  let after = 0;
  const [called, seen] = [new Set<string>(), new Set<string>()];
  let lines = 0;
  let isSaid = lastText === "";
  for (const line of linesFromEnd(part)) {
    if (++lines > maxLines) break;
    const content = readLine(line);
    if (content && "summary" in content) break;
    const messages = content?.messages ?? [];
    if (usage && messages.some(({ role }) => role !== "tool")) break;
    for (const message of messages) {
      for (const id of callsIn(message)) called.add(id);
      isSaid ||= message.role === "assistant" && hasText(message, lastText);
    }
    usage ??= readUsage?.(line);
    const at = timeIn(line.timestamp);
    if (at > 0 && at < since) return undefined;
    if (usage && !usage.isAfterResults) break;
    for (const message of messages) {
      after += estimateTokens(textOf(message));
      for (const id of resultsIn(message)) seen.add(id);
    }
  }
  if (!usage) return undefined;
  const missing = results.flatMap(({ id, input = "", text }) => [
    seen.has(id) ? 0 : estimateTokens(text),
    called.has(id) ? 0 : estimateTokens(input),
  ]);
  return {
    tokens: missing.reduce((sum, tokens) => sum + tokens, usage.tokens + after),
    model: usage.model ?? "",
    window: usage.window,
    isCurrent: isSaid && (results.every(({ id }) => id === "") || results.some(({ id }) => called.has(id))),
  };
}

/** Whether a message begins a line with the beginning of a text. */
function hasText(message: ModelMessage, text: string): boolean {
  const [beginning = ""] = text.slice(0, 100).split("\n", 1);
  const content = textOf(message);
  return content.includes(beginning) || content.includes(JSON.stringify(beginning).slice(1, -1));
}

function* linesFromEnd(part: string): Generator<Record<string, unknown>> {
  for (let end = part.length; end > 0; ) {
    const start = part.lastIndexOf("\n", end - 1) + 1;
    const source = part.slice(start, end).trim();
    end = start - 1;
    // The host may still be writing a line, and the part may begin in the middle of one.
    const line = source.startsWith("{") ? parseObject(source) : undefined;
    if (line) yield line;
  }
}

function textOf({ content }: ModelMessage): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}

function callsIn({ role, content }: ModelMessage): string[] {
  if (role !== "assistant" || typeof content === "string") return [];
  return content.flatMap((part) => (part.type === "tool-call" ? part.toolCallId : []));
}

function resultsIn({ role, content }: ModelMessage): string[] {
  if (role !== "tool") return [];
  return content.flatMap((part) => (part.type === "tool-result" ? part.toolCallId : []));
}

/**
 * Where a host compacts that keeps a reserve of its window free. In a window that is smaller than twice the reserve, which only
 * trials have, it compacts when half of it is used.
 */
export function lessReserve(contextWindow: number, reserve: number): number {
  return Math.max(contextWindow - reserve, contextWindow / 2);
}

/**
 * The tokens at which a host compacts by itself: the fill at its last automatic compaction with this model, or else what its
 * settings say. Undefined if neither is known.
 */
export function compactionLimit(host: Host, fill: Fill, root: string): number | undefined {
  const usual = host.compaction.limit?.(fill, root);
  const learned = objectIn(readSmallFile(limitsFile())?.[host.name])[keyOf(fill)];
  if (typeof learned !== "number") return usual;
  // A little above the usual limit, one result has jumped over it.
  return usual !== undefined && learned > usual && learned < usual * 1.15 ? usual : learned;
}

/** Records the fill at which a host compacted by itself. */
export function learnLimit(host: Host, fill: Fill): void {
  const file = limitsFile();
  const known = readSmallFile(file) ?? {};
  const ofHost = objectIn(known[host.name]);
  if (ofHost[keyOf(fill)] === fill.tokens) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeSmallFile(file, { ...known, [host.name]: { ...ofHost, [keyOf(fill)]: fill.tokens } });
}

/** For a trial, which must teach nothing: returns what restores the file. */
export function rememberLimits(): () => void {
  const before = readSmallFile(limitsFile());
  return () => {
    if (before) writeSmallFile(limitsFile(), before);
    else rmSync(limitsFile(), { force: true });
  };
}

function limitsFile(): string {
  return join(stateFolder(), "compaction-limits.json");
}

function keyOf({ model, window }: Fill): string {
  return `${model}${window === undefined ? "" : ` ${window}`}`;
}
