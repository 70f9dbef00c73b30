const maxOther = 3;

/** Whether two sentences differ in one place, where both have a few words of their own; either may have more around it. */
export function differsOnce(a: readonly string[], b: readonly string[]): boolean {
  const common = inOrder(a, b);
  const [rest, others] = [[...a], [...b]];
  const places = [...common, undefined].map((word) => {
    const [own, other] =
      word === undefined ? [rest.length, others.length] : [rest.indexOf(word), others.indexOf(word)];
    rest.splice(0, own + 1);
    others.splice(0, other + 1);
    return { own, other };
  });
  const [first, ...more] = places.filter(({ own, other }) => own > 0 && other > 0);
  if (!first || more.length > 0) return false;
  return first.own <= maxOther && first.other <= maxOther && common.length >= Math.max(2, first.own);
}

/** Whether two words, none of them short, follow each other in both. */
export function sharesPair(a: readonly string[], b: readonly string[]): boolean {
  const pairs = new Set(b.slice(1).map((word, index) => `${b[index]} ${word}`));
  return a.slice(1).some((word, index) => {
    const first = a[index] ?? "";
    return word.length > 3 && first.length > 3 && pairs.has(`${first} ${word}`);
  });
}

/** The most words that both have in the same order. */
export function inOrder(a: readonly string[], b: readonly string[]): string[] {
  const lengths = a
    .map(() => new Array<number>(b.length + 1).fill(0))
    .concat([new Array<number>(b.length + 1).fill(0)]);
  const at = (row: number, column: number) => lengths[row]?.[column] ?? 0;
  for (let row = a.length - 1; row >= 0; row--)
    for (let column = b.length - 1; column >= 0; column--) {
      const line = lengths[row] ?? [];
      line[column] =
        a[row] === b[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  const found: string[] = [];
  for (let row = 0, column = 0; row < a.length && column < b.length; ) {
    const word = a[row] ?? "";
    if (word === b[column]) {
      found.push(word);
      row++;
      column++;
    } else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return found;
}
