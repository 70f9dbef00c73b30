import { type StoredMessage, type ToolCall, toolCallsOf } from "../../context/conversation.ts";
import type { ReadFact } from "../../engine/records.ts";
import { type Fields, fieldsOf, pathsIn } from "./call-input.ts";
import { actionOf } from "./files.ts";
import { type PathKey, pathKey } from "./path-key.ts";
import { resultsIn } from "./results.ts";
import { shownPart } from "./shown-lines.ts";

/** Max parts of files that a checkpoint remembers. */
const maxReads = 60;

/** Tools that name a file and show something else than its lines. */
const otherTools = /grep|glob|search|find|list|tree|^ls$|fetch/i;

/**
 * What the agent has read: for each part of a file, a hash of its lines as the agent saw them. Only results with line
 * numbers tell for certain which part they show; a result without them counts as the part that the call asked for.
 */
export function readParts(
  messages: readonly StoredMessage[],
  earlier: readonly ReadFact[] = [],
  now = 0,
  keyOf: PathKey = pathKey(),
): ReadFact[] {
  const { byCall } = resultsIn(messages);
  const calls = timedCalls(messages);
  const reads: ReadFact[] = [];
  // Newest first: what was read before is not looked at once there is enough.
  for (let index = calls.length - 1; index >= 0; index--) {
    if (reads.length === maxReads) return reads;
    const { call, at = 0 } = calls[index] ?? {};
    const result = byCall.get(call?.id ?? "");
    if (!call || !result || result.isError) continue;
    const fields = fieldsOf(call.input);
    const [path, ...more] = pathsIn(fields);
    if (path === undefined || more.length > 0 || !isRead(call.tool, fields)) continue;
    const part = shownPart(result.text, fields);
    if (part) addOlder(reads, { path, ...part, at, last: now + index + 1 }, keyOf);
  }
  for (const read of earlier) if (reads.length < maxReads) addOlder(reads, read, keyOf);
  return reads;
}

function isRead(tool: string, fields: Fields): boolean {
  return !otherTools.test(tool) && actionOf(tool, fields) === "read";
}

/**
 * The calls, each with a time before it ran; 0 if that is not known. Some drivers store a call only after it ran, so the
 * time of the message before it counts as well.
 */
function timedCalls(messages: readonly StoredMessage[]): { call: ToolCall; at: number }[] {
  const calls: { call: ToolCall; at: number }[] = [];
  let before = 0;
  for (const stored of messages) {
    const at = Math.min(before, stored.at);
    before = stored.at;
    if (!stored.aside) for (const call of toolCallsOf(stored)) calls.push({ call, at });
  }
  return calls;
}

/** Lines that the agent has seen again count as it saw them last. */
function addOlder(reads: ReadFact[], read: ReadFact, keyOf: PathKey): void {
  const key = keyOf(read.path);
  const isSeenAgain = (later: ReadFact) =>
    keyOf(later.path) === key &&
    ((later.from === read.from && later.to === read.to) ||
      (later.isWhole && (read.isWhole || (later.isNumbered && !later.mayBeCut))) ||
      (later.isNumbered && read.from >= later.from && read.to <= later.to));
  if (!reads.some(isSeenAgain)) reads.push(read);
}
