import type { Memory } from "../sessions/memory.ts";
import type { SessionSummary } from "../stores/store.ts";

/** Of more sessions the page shows the newest only; a list that long is searched, not read. */
const mostListed = 20_000;

/** The list of sessions, newest first, kept until something is written. */
export class SessionDirectory {
  readonly #memory: Memory;
  #known: Promise<SessionSummary[]> | undefined;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** To be called when anything was written. */
  forget(): void {
    this.#known = undefined;
  }

  all(): Promise<SessionSummary[]> {
    if (this.#known) return this.#known;
    const reading = this.#read();
    this.#known = reading;
    reading.catch(() => this.forget());
    return reading;
  }

  async of(status: SessionSummary["status"] | "all"): Promise<SessionSummary[]> {
    const sessions = await this.all();
    return sessions.filter((each) => (status === "all" ? each.status !== "deleted" : each.status === status));
  }

  async find(id: string): Promise<SessionSummary | undefined> {
    return (await this.all()).find((each) => each.id === id);
  }

  async #read(): Promise<SessionSummary[]> {
    const shown = await this.#memory.listSessions({ status: "all", limit: mostListed });
    const deleted = await this.#memory.listSessions({ status: "deleted", limit: mostListed });
    return [...shown, ...deleted].sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1));
  }
}
