import type { StoredMessage } from "../../context/conversation.ts";
import type { Checkpoint } from "../../engine/records.ts";
import { readParts } from "./reads.ts";

/** Reads a text file by the path that the agent used; undefined if it cannot be read. */
export type ReadFile = (path: string) => string | undefined | Promise<string | undefined>;

/** The files that the agent has read, as they are now. One that cannot be read is left out. */
export async function readContents(
  messages: readonly StoredMessage[],
  earlier: Checkpoint | undefined,
  readFile: ReadFile | undefined,
): Promise<Map<string, string>> {
  const contents = new Map<string, string>();
  if (!readFile) return contents;
  const paths = new Set(readParts(messages, earlier?.memory?.reads).map(({ path }) => path));
  for (const path of paths) {
    const content = await attempt(() => readFile(path));
    if (typeof content === "string") contents.set(path, content);
  }
  return contents;
}

/** A file that cannot be read is neither unchanged nor changed, and must not stop a compaction. */
async function attempt<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}
