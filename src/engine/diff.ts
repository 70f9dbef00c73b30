export interface DiffLine {
  /** In both texts, only in the newer, or only in the older. */
  kind: "same" | "added" | "removed";
  text: string;
}

/** Above this many differing lines on either side, skip the LCS and report all lines as removed, then added. */
const maxDiffLines = 3_000;

/** Line diff by longest common subsequence. */
export function diffLines(before: string, after: string): DiffLine[] {
  if (before === after) return linesOf(before).map((text) => ({ kind: "same", text }));
  const old = linesOf(before);
  const fresh = linesOf(after);
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let end = 0;
  while (
    end < old.length - start &&
    end < fresh.length - start &&
    old[old.length - 1 - end] === fresh[fresh.length - 1 - end]
  )
    end++;
  const middle = diffMiddle(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end));
  const same = (text: string): DiffLine => ({ kind: "same", text });
  return [...old.slice(0, start).map(same), ...middle, ...old.slice(old.length - end).map(same)];
}

function diffMiddle(old: string[], fresh: string[]): DiffLine[] {
  if (old.length > maxDiffLines || fresh.length > maxDiffLines || old.length === 0 || fresh.length === 0) {
    return [
      ...old.map((text): DiffLine => ({ kind: "removed", text })),
      ...fresh.map((text): DiffLine => ({ kind: "added", text })),
    ];
  }
  const width = fresh.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = fresh.length - 1; column >= 0; column--) {
      const here = row * width + column;
      lengths[here] =
        old[row] === fresh[column]
          ? (lengths[here + width + 1] as number) + 1
          : Math.max(lengths[here + width] as number, lengths[here + 1] as number);
    }
  }
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < old.length || column < fresh.length) {
    const here = row * width + column;
    if (row < old.length && column < fresh.length && old[row] === fresh[column]) {
      lines.push({ kind: "same", text: old[row] as string });
      row++;
      column++;
    } else if (
      column >= fresh.length ||
      (row < old.length && (lengths[here + width] as number) >= (lengths[here + 1] as number))
    ) {
      lines.push({ kind: "removed", text: old[row] as string });
      row++;
    } else {
      lines.push({ kind: "added", text: fresh[column] as string });
      column++;
    }
  }
  return lines;
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}
