/**
 * Runs tasks one at a time, in the order they were added. A failed task rejects for its caller only; the next
 * one runs all the same.
 *
 * @example
 * const writes = new Queue();
 * writes.run(() => save(1));
 * await writes.run(() => save(2)); // begins when the first has ended
 */
export class Queue {
  #idle: Promise<void> = Promise.resolve();

  run<Result>(task: () => Result | Promise<Result>): Promise<Result> {
    const result = this.#idle.then(task);
    // Drop the result here, or a queue would keep its last one in memory.
    this.#idle = result.then(ignore, ignore);
    return result;
  }
}

function ignore(): void {}
