import type { StoredMessage } from "../../context/conversation.ts";
import { isObject } from "../../engine/json.ts";
import type { Checkpoint } from "../../engine/records.ts";
import type { FileNow } from "./part-status.ts";
import { type PathKey, pathKey } from "./path-key.ts";
import { readParts } from "./reads.ts";

type Given = string | FileNow | undefined;

/**
 * Reads a text file by the path that the agent used: its text, or also when it was last touched, which allows more to be
 * said. Undefined if it cannot be read; a text that is undefined if the file no longer exists.
 */
export type ReadFile = (path: string) => Given | Promise<Given>;

/** The files that the agent has read, as they are now, by key. One that cannot be read is left out. */
export async function readContents(
  messages: readonly StoredMessage[],
  earlier: Checkpoint | undefined,
  readFile: ReadFile | undefined,
  keyOf: PathKey = pathKey(),
): Promise<Map<string, FileNow>> {
  const contents = new Map<string, FileNow>();
  if (!readFile) return contents;
  const reads = readParts(messages, earlier?.memory.reads, 0, keyOf);
  const paths = new Map(reads.map(({ path }) => [keyOf(path), path]));
  for (const [key, path] of paths) {
    const given = await attempt(() => readFile(path));
    if (typeof given === "string") contents.set(key, { text: given });
    else if (given) contents.set(key, given);
  }
  return contents;
}

/** A file that cannot be read is neither unchanged nor changed, and must not stop a compaction. */
async function attempt(read: () => Given | Promise<Given>): Promise<Given> {
  try {
    return await read();
  } catch (error) {
    return isObject(error) && error.code === "ENOENT" ? { text: undefined } : undefined;
  }
}
