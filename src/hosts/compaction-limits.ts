import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { objectIn } from "../engine/json.ts";
import { stateFolder } from "../state-folder.ts";
import { readSmallFile, writeSmallFile } from "../workspace/small-file.ts";
import type { Fill } from "./fill.ts";
import type { Host } from "./host.ts";

/**
 * A host that compacts when less than this many tokens of the window are left. In a window that is smaller than twice
 * the reserve, which only trials have, it compacts when half of it is used.
 */
export function reserving(tokens: number): (contextWindow: number) => number {
  return (contextWindow) => Math.max(contextWindow - tokens, contextWindow / 2);
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
