/** Whether two words are at most `maxEdits` insertions, deletions, substitutions or swaps apart. */
export function withinEdits(a: string, b: string, maxEdits: number): boolean {
  if (Math.abs(a.length - b.length) > maxEdits) return false;
  let start = 0;
  while (start < a.length && a.charCodeAt(start) === b.charCodeAt(start)) start++;
  let end = 0;
  while (
    end < Math.min(a.length, b.length) - start &&
    a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end)
  )
    end++;
  const [left, right] = [a.length - start - end, b.length - start - end];
  if (left === 0 || right === 0) return Math.max(left, right) <= maxEdits;
  // One edit adds at most one character and removes at most one, so it changes at most two bits.
  if (bitCount(letters(a, start, a.length - end) ^ letters(b, start, b.length - end)) > 2 * maxEdits)
    return false;
  return countEdits(a.slice(start, a.length - end), b.slice(start, b.length - end), maxEdits) <= maxEdits;
}

/** Optimal string alignment; stops early with a larger number once `maxEdits` is exceeded. */
function countEdits(a: string, b: string, maxEdits: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    let best = row;
    for (let column = 1; column <= b.length; column++) {
      const same = a.charCodeAt(row - 1) === b.charCodeAt(column - 1);
      let cost = Math.min(
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + (same ? 0 : 1),
      );
      const swapped =
        row > 1 &&
        column > 1 &&
        a.charCodeAt(row - 1) === b.charCodeAt(column - 2) &&
        a.charCodeAt(row - 2) === b.charCodeAt(column - 1);
      if (swapped) cost = Math.min(cost, (beforeLast[column - 2] as number) + 1);
      current.push(cost);
      if (cost < best) best = cost;
    }
    if (best > maxEdits) return best;
    beforeLast = last;
    last = current;
  }
  return last[b.length] as number;
}

/** Which characters occur: one bit for each of 32 classes. */
function letters(word: string, from: number, to: number): number {
  let bits = 0;
  for (let index = from; index < to; index++) bits |= 1 << (word.charCodeAt(index) & 31);
  return bits;
}

function bitCount(bits: number): number {
  let rest = bits - ((bits >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return (((rest + (rest >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** The known name that a misspelt one most likely means; undefined if none is close. */
export function closestName(name: string, known: readonly string[]): string | undefined {
  const folded = name.toLowerCase();
  const same = known.find((each) => each.toLowerCase() === folded);
  if (same !== undefined) return same;
  for (const edits of [1, 2, 3]) {
    const near = known.find(
      (each) => withinEdits(folded, each.toLowerCase(), edits) && edits < each.length / 2,
    );
    if (near !== undefined) return near;
  }
  // A name without its group, or with one word more or less.
  return known.find(
    (each) =>
      name.length >= 4 &&
      (each.startsWith(name) || name.startsWith(each) || each.toLowerCase().endsWith(`.${folded}`)),
  );
}
