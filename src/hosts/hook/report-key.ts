import { statSync } from "node:fs";
import type { HookEvent } from "./event.ts";

/**
 * Identifies what a host reports in an epoch: the same report sent twice has the same key. A host reports twice if the
 * hook is configured in two places. Undefined if nothing in the report says which one it is.
 */
export function reportKey(
  { host, hostSession, name, source, isManual, summary, transcript }: HookEvent,
  epoch: number,
): string | undefined {
  const size = sizeOf(transcript);
  if (size === 0 && summary === "") return undefined;
  return hashOf([host.name, hostSession, name, source, isManual, summary, size, epoch]);
}

/** The transcript's size in bytes; 0 without one. */
export function sizeOf(path: string): number {
  return path === "" ? 0 : (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
}

/** The key of one write that follows from a report. */
export function writeKey(report: string, operation: unknown): string {
  return hashOf([report, operation]);
}

/** Loads node:crypto only when needed: most events write nothing. */
function hashOf(value: unknown): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  return `hook-${createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 32)}`;
}
