import type { Memory } from "../sessions/memory.ts";
import { sqliteSessionSizes } from "../stores/sqlite/disk-space.ts";
import { type StoreFlags, sqliteFile } from "../workspace/store-location.ts";
import { findWorkspace } from "../workspace/workspace.ts";
import { startProgress } from "./terminal/progress.ts";

/** The approximate size of each session in the store, in bytes, including its history. */
export async function readSizes(
  memory: Memory,
  flags: StoreFlags,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const path = sqliteFile(findWorkspace({ flags }).store);
  if (path !== undefined) return sqliteSessionSizes(path);
  const sizes = new Map<string, number>();
  const progress = startProgress("Measuring sessions", ids.length);
  for (const [index, id] of ids.entries()) {
    progress.at(index);
    const session = await memory.findSession(id);
    if (session) sizes.set(id, Buffer.byteLength(JSON.stringify(await memory.exportSession(id))));
  }
  progress.end();
  return sizes;
}
