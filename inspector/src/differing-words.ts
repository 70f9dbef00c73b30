/** A run of words, and whether the other side has it too. */
export interface WordRun {
  text: string;
  differs: boolean;
}

/** Longer texts are compared as a whole. */
const maxWords = 600;

/** Splits both texts into runs of words that they share and runs that differ. */
export function differingWords(mine: string, theirs: string): { mine: WordRun[]; theirs: WordRun[] } {
  const [a, b] = [wordsOf(mine), wordsOf(theirs)];
  if (a.length > maxWords || b.length > maxWords)
    return { mine: [{ text: mine, differs: true }], theirs: [{ text: theirs, differs: true }] };
  const { inA, inB } = sharedWords(a, b);
  return { mine: runsOf(a, inA), theirs: runsOf(b, inB) };
}

function wordsOf(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

/** The longest common subsequence: which words of each side are part of it. */
function sharedWords(a: readonly string[], b: readonly string[]): { inA: Set<number>; inB: Set<number> } {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = a.length - 1; row >= 0; row--)
    for (let column = b.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        a[row] === b[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const [inA, inB] = [new Set<number>(), new Set<number>()];
  for (let row = 0, column = 0; row < a.length && column < b.length; ) {
    if (a[row] === b[column]) {
      inA.add(row++);
      inB.add(column++);
    } else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return { inA, inB };
}

function runsOf(words: readonly string[], shared: ReadonlySet<number>): WordRun[] {
  const runs: WordRun[] = [];
  for (const [index, text] of words.entries()) {
    const differs = !shared.has(index);
    const last = runs.at(-1);
    if (last && last.differs === differs) last.text += text;
    else runs.push({ text, differs });
  }
  return runs;
}
