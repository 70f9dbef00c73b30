/**
 * Whether two words are at most `maxEdits` insertions, deletions, substitutions or swaps apart. A caller that compares
 * one word with many passes their `lettersOf`.
 */
export function withinEdits(
  a: string,
  b: string,
  maxEdits: number,
  lettersA = lettersOf(a),
  lettersB = lettersOf(b),
): boolean {
  if (Math.abs(a.length - b.length) > maxEdits) return false;
  // One edit adds at most one character and removes at most one, so it changes at most two bits.
  if (bitCount(lettersA ^ lettersB) > 2 * maxEdits) return false;
  return restWithinEdits(a, 0, b, 0, maxEdits);
}

/** The same for the rest of the words: tries every edit at the first difference. */
function restWithinEdits(a: string, fromA: number, b: string, fromB: number, maxEdits: number): boolean {
  let [i, j] = [fromA, fromB];
  while (i < a.length && j < b.length && a.charCodeAt(i) === b.charCodeAt(j)) {
    i++;
    j++;
  }
  const [leftA, leftB] = [a.length - i, b.length - j];
  if (leftA === 0 || leftB === 0) return leftA + leftB <= maxEdits;
  if (maxEdits === 0 || Math.abs(leftA - leftB) > maxEdits) return false;
  const rest = maxEdits - 1;
  return (
    restWithinEdits(a, i + 1, b, j + 1, rest) ||
    restWithinEdits(a, i + 1, b, j, rest) ||
    restWithinEdits(a, i, b, j + 1, rest) ||
    (a.charCodeAt(i) === b.charCodeAt(j + 1) &&
      a.charCodeAt(i + 1) === b.charCodeAt(j) &&
      restWithinEdits(a, i + 2, b, j + 2, rest))
  );
}

/** Which characters occur: one bit for each of 32 classes. */
export function lettersOf(word: string): number {
  let bits = 0;
  for (let index = 0; index < word.length; index++) bits |= 1 << (word.charCodeAt(index) & 31);
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
