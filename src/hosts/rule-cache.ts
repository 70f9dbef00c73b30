import { join } from "node:path";
import { isObject } from "../engine/json.ts";
import type { RulePin } from "../surfaces/pins/refuse-call.ts";
import { readSmallFile, writeSmallFile } from "../workspace/small-file.ts";
import type { StoreLocation } from "../workspace/store-location.ts";
import { stampOf } from "../workspace/store-stamp.ts";

/** How long rules from a store without a stamp are trusted, in milliseconds. */
const trusted = 5_000;

/**
 * The pins of a session that refuse calls, as last read from its store. A host asks before every call, so the store is
 * opened only after it has changed.
 */
export function cachedRules(directory: string, session: string, store: StoreLocation): RulePin[] | undefined {
  const stamp = stampOf(store);
  // There is no database, so nothing is pinned.
  if (stamp.startsWith("none")) return [];
  const known = readSmallFile(fileOf(directory, session));
  if (!Array.isArray(known?.pins) || known.store !== store.url) return undefined;
  const age = Date.now() - Number(known.at);
  const isFresh = stamp === "" ? age >= 0 && age < trusted : known.stamp === stamp;
  // We wrote the file; a damaged entry is no rule.
  return isFresh
    ? known.pins.filter((pin): pin is RulePin => isObject(pin) && isObject(pin.rule))
    : undefined;
}

/** `stamp`: that of the store before its rules were read. */
export function keepRules(
  directory: string,
  session: string,
  { store, stamp, pins }: { store: StoreLocation; stamp: string; pins: readonly RulePin[] },
): void {
  writeSmallFile(fileOf(directory, session), { store: store.url, stamp, at: Date.now(), pins });
}

function fileOf(directory: string, session: string): string {
  return join(directory, "links", `rules-${session}.json`);
}

/** Our own tools, under the names that hosts give to the tools of the server "holdfast". */
export function isMemoryTool(tool: string): boolean {
  return /(?:^|_)holdfast_/i.test(tool);
}
