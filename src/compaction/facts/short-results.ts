import type { StoredMessage } from "../../context/conversation.ts";
import type { ShortResult } from "../../engine/records.ts";
import { oneLine } from "../../engine/text.ts";
import { commandIn, type Fields, patchedFiles } from "./call-input.ts";
import { callsIn, type MadeCall } from "./calls.ts";

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
  for (const made of callsIn(messages)) {
    const { tool, input, fields, result } = made;
    if (made.isAside || except.has(tool)) continue;
    const [path = ""] = made.paths;
    const call = callText(made);
    if (isWrite(fields)) drop(kept, [path, ...patchedFiles(input)]);
    kept.delete(call);
    const text = oneLine(result?.text ?? "");
    const isShort = call.length <= maxCall && text.length <= maxResult && informative.test(text);
    if (isShort && !isWrite(fields)) kept.set(call, { call, result: text, path });
  }
  return [...kept.values()].slice(-maxResults);
}

function callText({ tool, fields, paths }: MadeCall): string {
  const command = commandIn(fields, paths);
  if (command !== undefined) return oneLine(command);
  const values = Object.values(fields).filter(
    (value) => typeof value === "string" || typeof value === "number",
  );
  return oneLine([tool, ...values].join(" "));
}

/** Fields with a text that a call writes. */
const written = /^(?:contents?|(?:new|old)_?(?:string|text|str)|file_?text|insert_?text|patch|diff|edits)$/i;

function isWrite(fields: Fields): boolean {
  return Object.keys(fields).some((field) => written.test(field));
}

function drop(kept: Map<string, ShortResult>, paths: readonly string[]): void {
  for (const [call, { path }] of kept) if (path !== "" && paths.includes(path)) kept.delete(call);
}
