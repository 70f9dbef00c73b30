import { HoldfastError } from "../errors.ts";

/** Repetitions after which a turn is stuck. */
const maxRepeats = 2;

/**
 * Notices a turn that makes no progress: after a compaction the model repeats a call it has already made and gets the
 * same result, and after the next compaction again. Anything new in between counts as progress.
 */
export class Progress {
  /** The calls with their results, by the epoch of the turn in which they were first seen. */
  readonly #seen = new Map<string, number>();
  #epoch = 0;
  /** The epoch of the last repetition; one epoch counts once, since polling repeats calls too. */
  #repeatedIn = 0;
  #repeats = 0;

  compacted(): void {
    this.#epoch++;
  }

  /** Adds one step's calls and their results. Throws when the turn is stuck. */
  add(calls: readonly { tool: string; input: unknown }[], results: readonly string[]): void {
    const steps = calls.map(({ tool, input }, index) => JSON.stringify([tool, input, results[index]]));
    const isRepeated = (step: string) => (this.#seen.get(step) ?? this.#epoch) < this.#epoch;
    const isOld = steps.length > 0 && steps.every(isRepeated);
    const isNew = steps.some((step) => !this.#seen.has(step));
    for (const step of steps) if (!this.#seen.has(step)) this.#seen.set(step, this.#epoch);
    if (isNew) this.#repeats = 0;
    if (!isOld || this.#repeatedIn === this.#epoch) return;
    this.#repeatedIn = this.#epoch;
    this.#repeats++;
    if (this.#repeats >= maxRepeats) throw stuck(calls[0]?.tool ?? "");
  }
}

function stuck(tool: string): HoldfastError {
  return new HoldfastError(
    "no_progress",
    `The turn was stopped because it makes no progress: after each of two compactions the model called ${tool} again with the same arguments and got the same result. Nothing was lost. Ask for a smaller step, or use a model with a larger context window.`,
    { data: { tool } },
  );
}
