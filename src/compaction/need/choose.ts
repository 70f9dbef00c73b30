/** Something that a checkpoint may say. */
export interface Candidate {
  /** The scored names that saying it tells. */
  names: readonly string[];
  /** What it is worth beyond its names. */
  worth: number;
  /** What it takes of the budget. */
  cost: number;
}

/** Below 1, long names are not passed over for many short ones that are hardly ever needed. */
const costPower = 0.8;

/**
 * Orders candidates by value per cost, most valuable first. A name that an earlier candidate tells is worth nothing
 * again.
 */
export function orderByNeed<Item extends Candidate>(
  candidates: readonly Item[],
  scores: ReadonlyMap<string, number>,
  told: ReadonlySet<string> = new Set(),
): Item[] {
  const known = new Set(told);
  const worthNow = ({ names, worth, cost }: Item) => {
    let value = worth;
    for (const name of names) if (!known.has(name)) value += scores.get(name) ?? 0;
    return value / Math.max(1, cost) ** costPower;
  };
  const queue = candidates.map((item) => ({ item, value: worthNow(item) }));
  queue.sort((a, b) => a.value - b.value);
  const ordered: Item[] = [];
  for (let next = queue.pop(); next; next = queue.pop()) {
    // Values only fall, so one that still leads after a fresh look is the best.
    const value = worthNow(next.item);
    if (value < (queue.at(-1)?.value ?? 0) - 1e-12) {
      queue.splice(placeOf(queue, value), 0, { item: next.item, value });
      continue;
    }
    if (value <= 1e-9) continue;
    ordered.push(next.item);
    for (const name of next.item.names) known.add(name);
  }
  return ordered;
}

/** Where a value belongs among rising ones: before the first that is greater. */
function placeOf(rising: readonly { value: number }[], value: number): number {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rising[middle]?.value ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
