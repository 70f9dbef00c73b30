/** Alternates work and baseline, so that a busy machine slows both equally, and compares their medians. */
export async function compare(
  work: () => unknown | Promise<unknown>,
  baseline: () => unknown | Promise<unknown>,
  { rounds, warmUp = Math.ceil(rounds / 10) }: { rounds: number; warmUp?: number },
): Promise<{ work: number; baseline: number; ratio: number }> {
  const times = { work: [] as number[], baseline: [] as number[] };
  for (let round = -warmUp; round < rounds; round++) {
    const first = await time(work);
    const second = await time(baseline);
    if (round >= 0) {
      times.work.push(first);
      times.baseline.push(second);
    }
  }
  const [a, b] = [median(times.work), median(times.baseline)];
  return { work: a, baseline: b, ratio: a / b };
}

export async function time(work: () => unknown | Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** One line of the report. */
export interface Figure {
  name: string;
  value: number;
  target: number;
  /** Whether the target is an upper or a lower limit. */
  limit: "max" | "min";
  unit: "×" | "ms";
  detail: string;
}

export function met({ value, target, limit }: Figure): boolean {
  return limit === "max" ? value <= target : value >= target;
}

export function formatFigure(figure: Figure): string {
  const verdict = met(figure) ? "ok  " : "MISS";
  const sign = figure.limit === "max" ? "≤" : "≥";
  return `${verdict} ${figure.name.padEnd(64)} ${figure.value.toFixed(2).padStart(9)} ${figure.unit.padEnd(2)} (${sign} ${figure.target} ${figure.unit})  ${figure.detail}`;
}

/** The same numbers in every run. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
