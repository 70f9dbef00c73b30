import { join } from "node:path";
import { shortHash } from "../../engine/short-hash.ts";
import { readSmallFile, writeSmallFile } from "../../workspace/small-file.ts";

/** Counts tokens exactly; the counter itself is loaded only for a text that was not counted before. */
interface ExactCounter {
  /** Runs `work` with exact counts. May run it twice. */
  run<T>(work: (count: (text: string) => number) => Promise<T>): Promise<T>;
}

/**
 * Exact counts of the texts of the last conversation start. Loading the tokenizer takes ten times as long as starting
 * Node, and the same lines of NOTES.md are counted at every start. The file has hashes of the texts, not the texts.
 */
export function countedTokens(
  directory: string,
  load: () => Promise<(text: string) => number>,
): ExactCounter {
  const file = join(directory, "cache", "counted-tokens.json");
  const keyOf = (text: string) => `${text.length}-${shortHash(text)}`;
  return {
    async run(work) {
      const known = readSmallFile(file);
      let isComplete = known !== undefined;
      const recalled = await work((text) => {
        const count = known?.[keyOf(text)];
        if (typeof count === "number") return count;
        isComplete = false;
        return 0;
      });
      if (isComplete) return recalled;
      const count = await load();
      const counted: Record<string, number> = {};
      const exact = await work((text) => {
        counted[keyOf(text)] = count(text);
        return counted[keyOf(text)] ?? 0;
      });
      try {
        writeSmallFile(file, counted);
      } catch {
        // They are counted again next time.
      }
      return exact;
    },
  };
}
