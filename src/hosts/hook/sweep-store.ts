import { join } from "node:path";
import { shortHash } from "../../engine/short-hash.ts";
import { readSmallFile, writeSmallFile } from "../../workspace/small-file.ts";
import type { HookContext } from "./context.ts";

const day = 24 * 3_600_000;

/**
 * Applies retention once a day, because a project may have no other program that runs long enough. A file says when it
 * was done last: asking the store takes as long as showing the memory. What fails is tried next time.
 */
export async function sweepStore({ project, store, memory }: HookContext): Promise<void> {
  const file = join(project.directory, "cache", "swept.json");
  const url = shortHash(store.url);
  const last = readSmallFile(file);
  const now = Date.now();
  if (last?.store === url && typeof last.at === "number" && last.at <= now && now < last.at + day) return;
  const opened = await memory();
  const isDone = await opened?.retention.step().catch(() => false);
  if (isDone) writeSmallFile(file, { store: url, at: now });
}
