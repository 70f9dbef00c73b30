import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gatherSightings } from "../../src/compaction/need/gather.ts";
import { type FindNames, findNeeded, nameFinder } from "../../src/compaction/need/later-use.ts";
import { describeNames, isCertain } from "../../src/compaction/need/score.ts";
import { plainTextOf, type StoredMessage } from "../../src/context/conversation.ts";
import { type RecordedSession, readRecordedSession } from "../../src/hosts/recorded-session.ts";

/** A place in a recorded session where a compaction could have been. */
export interface Cut {
  session: string;
  /** The messages since the compaction before, up to the cut. */
  messages: StoredMessage[];
  /** The last message that would be removed. */
  to: number;
  /** The names that the agent used later and could not see any more. */
  needed: ReadonlySet<string>;
  /** One row per name that the removed messages have and the kept ones have not. */
  rows: { features: number[]; isNeeded: boolean }[];
}

const fractions = Array.from({ length: 16 }, (_, index) => 0.2 + index * 0.05);

/** The recorded sessions in the files and folders. A session that cannot be read is reported and left out. */
export async function readSessions(paths: readonly string[]): Promise<Map<string, RecordedSession>> {
  const sessions = new Map<string, RecordedSession>();
  for (const path of paths.flatMap(filesIn)) {
    try {
      sessions.set(basename(path), await readRecordedSession(readFileSync(path, "utf8")));
    } catch (error) {
      console.error(`${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return sessions;
}

function filesIn(path: string): string[] {
  if (path.endsWith(".jsonl")) return [path];
  const names = readdirSync(path, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => join(path, name));
}

/**
 * Cuts a session at sixteen places. The host keeps `keepTokens` of the newest messages, at most a quarter. What is counted
 * as needed is what `find` calls a name; without it, what a checkpoint could tell.
 */
export function cutSession(
  session: string,
  { messages, compactions }: RecordedSession,
  keepTokens: number,
  find?: FindNames,
): Cut[] {
  return fractions.flatMap((fraction) => {
    const at = Math.floor(messages.length * fraction);
    const start = compactions.findLast((compaction) => compaction.messages <= at)?.messages ?? 0;
    const end = compactions.find((compaction) => compaction.messages > at)?.messages ?? messages.length;
    const span = messages.slice(start, at);
    const kept = keptMessages(span, keepTokens);
    const removed = span.slice(0, span.length - kept);
    const tail = span.slice(span.length - kept);
    const use = { removed, kept: tail, later: messages.slice(at, end) };
    const rows = rowsOf(span, removed, tail, findNeeded({ ...use, find: nameFinder() }));
    const needed = find
      ? findNeeded({ ...use, find })
      : new Set(rows.filter(({ isNeeded }) => isNeeded).map(({ name }) => name));
    if (needed.size === 0) return [];
    return [{ session, messages: span, to: removed.at(-1)?.number ?? 0, needed, rows }];
  });
}

function keptMessages(span: readonly StoredMessage[], keepTokens: number): number {
  const sizes = span.map(({ message }) => plainTextOf(message).length / 4);
  const limit = Math.min(keepTokens, sizes.reduce((sum, size) => sum + size, 0) / 4);
  let kept = 0;
  for (let tokens = 0; kept < span.length && tokens < limit; kept++) tokens += sizes.at(-1 - kept) ?? 0;
  return kept;
}

function rowsOf(
  span: readonly StoredMessage[],
  removed: readonly StoredMessage[],
  tail: readonly StoredMessage[],
  needed: ReadonlySet<string>,
) {
  const sightings = gatherSightings(span);
  const gone = gatherSightings(removed).names;
  const kept = gatherSightings(tail).names;
  const describe = describeNames(sightings);
  return [...sightings.names.values()]
    .filter((sighting) => gone.has(sighting.text) && !kept.has(sighting.text) && isCertain(sighting))
    .map((sighting) => ({
      name: sighting.text,
      features: describe(sighting),
      isNeeded: needed.has(sighting.text),
    }));
}
