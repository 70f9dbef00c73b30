/**
 * Runs tasks one at a time, in the order they were added. A failed task rejects for its caller only; the
 * queue continues with the next.
 *
 * @example
 * const writes = new Queue();
 * writes.run(() => save(1));
 * await writes.run(() => save(2)); // starts when the first has finished
 */
export class Queue {
  #idle: Promise<void> = Promise.resolve();

  run<Result>(task: () => Result | Promise<Result>): Promise<Result> {
    const result = this.#idle.then(task);
    // Drop the result, or the queue would keep the last one in memory.
    this.#idle = result.then(ignore, ignore);
    return result;
  }
}

function ignore(): void {}
