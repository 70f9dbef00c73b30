import { Queue } from "../engine/queue.ts";

/** How a request goes with the others of its session. */
export type Lane = "read" | "write" | "program";

/**
 * Runs requests side by side, but keeps what a client relies on: writes of a session run in order of arrival, and a read
 * or a program sees every write that arrived before it. Nothing waits for a read or a program.
 */
export class Lanes {
  /** The writes of each session. */
  readonly #writes = new Map<string, { queue: Queue; open: number }>();

  run<Result>(session: string, lane: Lane, work: () => Promise<Result>): Promise<Result> {
    const writes = this.#writes.get(session);
    if (lane === "write") return this.#write(session, work);
    // An empty task in the queue ends when the writes before it have.
    return writes ? writes.queue.run(() => undefined).then(work) : work();
  }

  async #write<Result>(session: string, work: () => Promise<Result>): Promise<Result> {
    const writes = this.#writes.get(session) ?? { queue: new Queue(), open: 0 };
    this.#writes.set(session, writes);
    writes.open++;
    try {
      return await writes.queue.run(work);
    } finally {
      writes.open--;
      if (writes.open === 0) this.#writes.delete(session);
    }
  }
}
