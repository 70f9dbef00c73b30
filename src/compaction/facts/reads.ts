import type { StoredMessage } from "../../context/conversation.ts";
import type { ReadFact } from "../../engine/records.ts";
import type { Fields } from "./call-input.ts";
import { callsIn } from "./calls.ts";
import { actionOf } from "./files.ts";
import { type PathKey, pathKey } from "./path-key.ts";
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
  const calls = callsIn(messages).filter(({ isAside }) => !isAside);
  const reads: ReadFact[] = [];
  // Newest first: what was read before is not looked at once there is enough.
  for (let index = calls.length - 1; index >= 0; index--) {
    if (reads.length === maxReads) return reads;
    const call = calls[index];
    if (!call?.result || call.result.isError) continue;
    const { tool, fields, paths, at } = call;
    const [path] = paths;
    if (path === undefined || paths.length > 1 || !isRead(tool, fields)) continue;
    const part = shownPart(call.result.text, fields);
    if (part) addOlder(reads, { path, ...part, at, last: now + index + 1 }, keyOf);
  }
  for (const read of earlier) if (reads.length < maxReads) addOlder(reads, read, keyOf);
  return reads;
}

function isRead(tool: string, fields: Fields): boolean {
  return !otherTools.test(tool) && actionOf(tool, fields) === "read";
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
