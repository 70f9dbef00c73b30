import type { AgentInputItem, Session as AgentsSession } from "@openai/agents-core";
import type { Session } from "../../sessions/session.ts";
import { ItemLog } from "../caller/item-log.ts";
import { listenersOf, type PlacementOptions } from "../caller/options.ts";

/**
 * The run history of the OpenAI Agents SDK, in a Holdfast session: every item exactly as the SDK gave it. The history
 * stays whole; the model that `holdfastAgents` returns leaves out of its requests what was compacted.
 */
export class HoldfastSession implements AgentsSession {
  readonly #session: Session;
  readonly #log: ItemLog<AgentInputItem>;
  readonly #report: (error: unknown) => void;

  constructor(session: Session, options: Pick<PlacementOptions, "onEvent"> = {}) {
    this.#session = session;
    this.#log = ItemLog.of(session, "openai-agents");
    this.#report = listenersOf(options).report;
  }

  async getSessionId(): Promise<string> {
    return this.#session.id;
  }

  async getItems(limit?: number): Promise<AgentInputItem[]> {
    const items = await this.#log.items(this.#report);
    return structuredClone(items.slice(limit === undefined ? 0 : Math.max(0, items.length - limit)));
  }

  addItems(items: AgentInputItem[]): Promise<void> {
    return this.#log.add(items, this.#report);
  }

  popItem(): Promise<AgentInputItem | undefined> {
    return this.#log.pop();
  }

  /** Empties the history. The notepad and the other forms of memory stay. */
  clearSession(): Promise<void> {
    return this.#log.clear();
  }
}
