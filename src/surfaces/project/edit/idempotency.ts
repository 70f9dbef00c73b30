import { HoldfastError } from "../../../errors.ts";
import type { NotesFile } from "../notes-md/file.ts";
import type { Answer } from "../operations.ts";
import { holdLock, readWorkingFile, writeWorkingFile } from "../verify/working-files.ts";

/** The last calls with a key, oldest first. */
type Answered = [key: string, request: string, answer: Answer][];

const maxKept = 200;

/** Does the work once per key; using the key again returns the first answer. */
export async function onceForKey(
  file: NotesFile,
  key: string,
  request: { tool: string; input: unknown },
  work: () => Promise<Answer>,
): Promise<Answer> {
  const serialised = JSON.stringify(request);
  const earlier = answered(file).find(([known]) => known === key);
  if (earlier && earlier[1] !== serialised) {
    throw new HoldfastError(
      "key_reused",
      `The idempotency key ${JSON.stringify(key)} was used for another call. Use a new key for a new call.`,
      { data: { key } },
    );
  }
  if (earlier) return earlier[2];
  const answer = await work();
  holdLock(file, () => {
    writeWorkingFile(file, "keys.json", [...answered(file), [key, serialised, answer]].slice(-maxKept));
  });
  return answer;
}

function answered(file: NotesFile): Answered {
  const known = readWorkingFile(file, "keys.json");
  return Array.isArray(known) ? (known as Answered) : [];
}
