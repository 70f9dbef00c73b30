import { type StoredMessage, toolCallsOf, toolResultsOf } from "../../context/conversation.ts";
import type { ShortResult } from "../../engine/records.ts";
import { oneLine } from "../../engine/text.ts";
import { commandIn, fieldsOf, patchedFiles, pathsIn } from "./call-input.ts";

/** A longer call or result is not kept: what it says is summarised, or read again. */
const maxCall = 200;
const maxResult = 200;

/** Results that a checkpoint remembers. */
const maxResults = 30;

/** A number, or a name with a sign in it: without one, a result says hardly more than "ok". */
const informative = /\d|\w[-_/@.]\w/;

/**
 * The calls whose results are short, oldest first: the value in a small file, the outcome of a command. A call that was
 * made again has its newest result; a file that was written since is left out. `except` are tools to leave out.
 */
export function shortResults(
  messages: readonly StoredMessage[],
  earlier: readonly ShortResult[] = [],
  except: ReadonlySet<string> = new Set(),
): ShortResult[] {
  const kept = new Map(earlier.map((result) => [result.call, result]));
  const results = new Map(messages.flatMap(toolResultsOf).map((result) => [result.id, result]));
  for (const stored of messages) {
    if (stored.aside) continue;
    for (const { id, tool, input } of toolCallsOf(stored)) {
      if (except.has(tool)) continue;
      const fields = fieldsOf(input);
      const [path = ""] = pathsIn(fields);
      const call = callText(tool, fields);
      const result = results.get(id);
      if (isWrite(fields)) drop(kept, [path, ...patchedFiles(input)]);
      kept.delete(call);
      const text = oneLine(result?.text ?? "");
      const isShort = call.length <= maxCall && text.length <= maxResult && informative.test(text);
      if (isShort && !isWrite(fields)) kept.set(call, { call, result: text, path });
    }
  }
  return [...kept.values()].slice(-maxResults);
}

function callText(tool: string, fields: Record<string, unknown>): string {
  const command = commandIn(fields);
  if (command !== undefined) return oneLine(command);
  const values = Object.values(fields).filter(
    (value) => typeof value === "string" || typeof value === "number",
  );
  return oneLine([tool, ...values].join(" "));
}

/** Fields with a text that a call writes. */
const written = /^(?:contents?|(?:new|old)_?(?:string|text|str)|file_?text|insert_?text|patch|diff|edits)$/i;

function isWrite(fields: Record<string, unknown>): boolean {
  return Object.keys(fields).some((field) => written.test(field));
}

function drop(kept: Map<string, ShortResult>, paths: readonly string[]): void {
  for (const [call, { path }] of kept) if (path !== "" && paths.includes(path)) kept.delete(call);
}
