/** Wrong tokens that cost nothing, per minute: a tab of an earlier server tries a few times. */
const free = 20;
const forgottenAfter = 60_000;
const step = 100;
const defaultMax = 2_000;

/** Makes guessing slow: each wrong token waits longer, from any sender. Right tokens never wait. */
export class Penalty {
  readonly #max: number;
  readonly #clock: () => number;
  #failures: number[] = [];

  constructor(max = defaultMax, clock: () => number = Date.now) {
    this.#max = max;
    this.#clock = clock;
  }

  /** Milliseconds that the next wrong token has to wait. */
  next(): number {
    const now = this.#clock();
    this.#failures = this.#failures.filter((at) => now - at < forgottenAfter).slice(-free - this.#max / step);
    this.#failures.push(now);
    return Math.min(this.#max, Math.max(0, this.#failures.length - free) * step);
  }

  async wait(): Promise<void> {
    const delay = this.next();
    if (delay > 0) await new Promise((proceed) => setTimeout(proceed, delay));
  }
}
