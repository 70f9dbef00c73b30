import type { Memory } from "../sessions/memory.ts";
import type { SessionSummary } from "../stores/store.ts";

/** The page lists only the newest sessions beyond this; people search a list that long. */
const maxListed = 20_000;

/** Caches the list of sessions, newest first, until the next write. */
export class SessionDirectory {
  readonly #memory: Memory;
  #cached: Promise<SessionSummary[]> | undefined;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** Call this after every write. */
  forget(): void {
    this.#cached = undefined;
  }

  all(): Promise<SessionSummary[]> {
    if (this.#cached) return this.#cached;
    const reading = this.#read();
    this.#cached = reading;
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
    const shown = await this.#memory.listSessions({ status: "all", limit: maxListed });
    const deleted = await this.#memory.listSessions({ status: "deleted", limit: maxListed });
    return [...shown, ...deleted].sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1));
  }
}
