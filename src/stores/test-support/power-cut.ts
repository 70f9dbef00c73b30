import { basename } from "node:path";
import type { TracedCall } from "./traced-files.ts";

interface Content {
  synced: Buffer;
  /** Calls since the last sync. */
  pending: TracedCall[];
  /** Whether its directory entry is synced. */
  named: boolean;
}

/** Which unsynced calls reached the disk, and whether unsynced names did. */
export interface Fate {
  name: string;
  keeps(index: number, count: number): boolean;
  namesStay: boolean;
}

/** The files of a directory after a power cut that follows these calls. */
export function afterPowerCut(
  calls: readonly TracedCall[],
  directory: string,
  fate: Fate,
): Map<string, Buffer> {
  const files = new Map<string, Content>();
  const removed = new Map<string, Content>();
  for (const call of calls) {
    if (call.call === "say") continue;
    const file = files.get(call.path);
    if (call.call === "sync" && call.path === directory) {
      for (const each of files.values()) each.named = true;
      removed.clear();
    } else if (call.call === "remove") {
      if (file) removed.set(call.path, file);
      files.delete(call.path);
    } else if (call.call === "create") {
      if (!file) files.set(call.path, { synced: Buffer.alloc(0), pending: [], named: false });
    } else if (file && call.call === "sync") {
      file.synced = apply(file.synced, file.pending);
      file.pending = [];
    } else if (file) file.pending.push(call);
  }
  const left = new Map<string, Buffer>();
  // An unsynced removal may or may not have happened.
  for (const [path, file] of [...(fate.namesStay ? [] : removed), ...files]) {
    if (!file.named && !fate.namesStay) continue;
    left.set(
      basename(path),
      apply(
        file.synced,
        file.pending.filter((_, index) => fate.keeps(index, file.pending.length)),
      ),
    );
  }
  return left;
}

function apply(content: Buffer, calls: readonly TracedCall[]): Buffer {
  let size = content.length;
  for (const call of calls) {
    if (call.call === "write") size = Math.max(size, call.at + call.data.length);
    else if (call.call === "truncate") size = call.size;
  }
  const capacity = calls.reduce(
    (end, call) => (call.call === "write" ? Math.max(end, call.at + call.data.length) : end),
    Math.max(size, content.length),
  );
  const next = Buffer.alloc(capacity);
  content.copy(next);
  for (const call of calls) {
    if (call.call === "write") call.data.copy(next, call.at);
    else if (call.call === "truncate") next.fill(0, call.size);
  }
  return next.subarray(0, size);
}
