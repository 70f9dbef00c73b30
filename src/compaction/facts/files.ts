import type { StoredMessage } from "../../context/conversation.ts";
import type { FileFact } from "../../engine/records.ts";
import { type Fields, patchedFiles } from "./call-input.ts";
import { callsIn } from "./calls.ts";
import { type PathKey, pathKey, tidyPath } from "./path-key.ts";
import { resultsIn } from "./results.ts";

const writingTools = /write|edit|create|patch|replace|delete|move|rename|append|save|update/i;
const creatingTools = /^(?:write|create|save)|_(?:write|create)/i;
const creatingCommands = new Set(["create", "write"]);

/** Max files that a checkpoint remembers; the least recently used go first. */
const maxFiles = 200;

/** What was done to each file, the one touched last first. `now` counts tool calls, from those before the messages. */
export function touchedFiles(
  messages: readonly StoredMessage[],
  earlier: readonly FileFact[] = [],
  now = 0,
  keyOf: PathKey = pathKey(),
): FileFact[] {
  const files = new Map<string, FileFact>();
  const put = (file: FileFact) => touch(files, keyOf(file.path), file);
  for (const file of earlier) put(file);
  const { failed } = resultsIn(messages);
  let call = now;
  for (const { id, tool, input, fields, paths, isAside } of callsIn(messages)) {
    if (isAside) continue;
    call++;
    const done = failed.has(id) ? "failed" : actionOf(tool, fields);
    const lines = done === "read" ? linesIn(fields) : "";
    for (const path of paths) put({ path, done, lines, last: call });
    for (const path of patchedFiles(input)) put({ path, done: "edited", lines: "", last: call });
  }
  return [...files.values()].sort((a, b) => b.last - a.last).slice(0, maxFiles);
}

const rank = { failed: 0, read: 1, edited: 2, created: 3 } as const;

/** The strongest action counts: a file that was created and read again was created. */
function touch(files: Map<string, FileFact>, key: string, now: FileFact): void {
  const before = files.get(key);
  const isFirstFailure = now.done === "failed" && (before === undefined || before.done === "failed");
  const done =
    before && (isFirstFailure || rank[before.done] > rank[now.done]) && before.done !== "failed"
      ? before.done
      : now.done;
  const lines = now.lines === "" && now.done !== "read" ? (before?.lines ?? "") : now.lines;
  const wrote = now.wrote ?? (isWritten(now) ? now.last : before?.wrote);
  // The agent knows the file by this spelling, so only one that it used is listed.
  const isOther = before !== undefined && before.path !== now.path;
  const path = isOther && tidyPath(now.path) !== now.path ? before.path : now.path;
  files.delete(key);
  files.set(key, { path, done, lines, last: now.last, ...(wrote === undefined ? {} : { wrote }) });
}

function isWritten({ done }: FileFact): boolean {
  return done === "edited" || done === "created";
}

export function actionOf(tool: string, { command }: Fields): FileFact["done"] {
  // Single-tool editors name the action in a `command` field.
  if (typeof command === "string" && creatingCommands.has(command)) return "created";
  if (command === "view" || !writingTools.test(tool)) return "read";
  return creatingTools.test(tool) ? "created" : "edited";
}

/** The part of a file that was read; "" for the whole. */
function linesIn(fields: Fields): string {
  const { offset, limit, view_range: range, start_line: start, end_line: end } = fields;
  if (Array.isArray(range) && range.every(Number.isInteger)) return `${range[0]}-${range[1]}`;
  if (Number.isInteger(start) && Number.isInteger(end)) return `${start}-${end}`;
  if (!Number.isInteger(limit)) return Number.isInteger(offset) ? `${offset}-` : "";
  const first = Number.isInteger(offset) ? Number(offset) : 1;
  return `${first}-${first + Number(limit) - 1}`;
}
