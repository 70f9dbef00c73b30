/** The known name that a misspelt one most likely means; undefined if none is close. */
export function closestName(name: string, known: readonly string[]): string | undefined {
  const folded = name.toLowerCase();
  const same = known.find((each) => each.toLowerCase() === folded);
  if (same !== undefined) return same;
  for (const edits of [1, 2, 3]) {
    const near = known.find(
      (each) => edits < each.length / 2 && isWithinEdits(folded, each.toLowerCase(), edits),
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

/** Whether two words are at most so many insertions, deletions, substitutions or swaps apart: tries each at the first difference. */
function isWithinEdits(a: string, b: string, edits: number): boolean {
  if (Math.abs(a.length - b.length) > edits) return false;
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  const [restA, restB] = [a.slice(same), b.slice(same)];
  if (restA === "" || restB === "") return restA.length + restB.length <= edits;
  if (edits === 0) return false;
  const isSwap = restA[0] === restB[1] && restA[1] === restB[0];
  return (
    isWithinEdits(restA.slice(1), restB.slice(1), edits - 1) ||
    isWithinEdits(restA.slice(1), restB, edits - 1) ||
    isWithinEdits(restA, restB.slice(1), edits - 1) ||
    (isSwap && isWithinEdits(restA.slice(2), restB.slice(2), edits - 1))
  );
}
