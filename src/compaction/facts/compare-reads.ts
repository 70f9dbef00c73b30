import type { FileFact, ReadFact } from "../../engine/records.ts";
import { type FileNow, statusIn } from "./part-status.ts";
import { type PathKey, pathKey } from "./path-key.ts";

export interface ReadChanges {
  /** The files to list. One whose parts differ in status is listed once for each. */
  files: FileFact[];
  /** Paths of `files`. */
  unchanged: ReadonlySet<string>;
  changed: ReadonlySet<string>;
}

/**
 * Compares what the agent has read with the files as they are now; `contents` has those that could be read, by key. What
 * the agent saw before it wrote the file is not compared, and neither is a result that may show something else than the
 * file's lines.
 */
export function compareReads(
  reads: readonly ReadFact[],
  files: readonly FileFact[],
  contents: ReadonlyMap<string, FileNow>,
  keyOf: PathKey = pathKey(),
): ReadChanges {
  const unchanged = new Set<string>();
  const changed = new Set<string>();
  const byKey = Map.groupBy(reads, ({ path }) => keyOf(path));
  const listed = files.flatMap((file): FileFact[] => {
    const now = contents.get(keyOf(file.path));
    if (!now || file.done === "failed") return [file];
    const parts = (byKey.get(keyOf(file.path)) ?? []).filter((part) => isAfterWrite(part, file));
    const byStatus = Map.groupBy(parts, statusIn(now));
    const [same = [], other = []] = [byStatus.get("unchanged"), byStatus.get("changed")];
    const isMixed = byStatus.size > 1;
    const entries: FileFact[] = [];
    if (other.length > 0) {
      changed.add(file.path);
      entries.push({ ...file, done: "read", lines: isMixed ? rangesOf(other) : file.lines });
    }
    // That a file which the agent wrote is still the same matters less than that the agent wrote it.
    if (same.length > 0 && file.done === "read") {
      const lines = isMixed ? rangesOf(same) : file.lines;
      const path = entries.length > 0 ? `${file.path}:${lines}` : file.path;
      unchanged.add(path);
      entries.push({ ...file, path, lines: entries.length > 0 ? "" : lines });
    }
    return entries.length > 0 ? entries : [file];
  });
  return { files: listed, unchanged, changed };
}

/** A call that failed may have written the file. */
function isAfterWrite({ last }: ReadFact, file: FileFact): boolean {
  return file.done === "read" || last > (file.wrote ?? file.last);
}

/** Max ranges of a file that are listed. */
const maxRanges = 4;

/** Such as "1-20,60-80"; "" if one of the parts is the whole file. */
function rangesOf(parts: readonly ReadFact[]): string {
  if (parts.some(({ isWhole }) => isWhole)) return "";
  const ranges = parts
    .slice(0, maxRanges)
    .sort((a, b) => a.from - b.from)
    .map(({ from, until }) => (until === 0 ? `${from}-` : `${from}-${until}`));
  return [...new Set(ranges)].join(",");
}
