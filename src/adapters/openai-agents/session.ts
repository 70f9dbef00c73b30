import type { AgentInputItem, Session as AgentsSession } from "@openai/agents-core";
import type { Json } from "../../engine/json.ts";
import { Queue } from "../../engine/queue.ts";
import type { Session } from "../../sessions/session.ts";
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

/** One change of the list, as it is stored. */
interface Change<Item> {
  added?: Item[];
  popped?: true;
  cleared?: true;
}

/** Items that the store may not have yet. */
interface Waiting<Item> {
  items: Item[];
  value: Json;
  /** A write without an answer is sent again under the same key, and counts once. */
  key: string;
  isStored: boolean;
}

type Report = (error: unknown) => void;

/**
 * A framework's own list of items, exactly as it gave them, stored in a session beside the conversation. While the store
 * fails, added items wait in the process, in order, and are stored with the next call that works.
 */
export class ItemLog<Item> {
  readonly #session: Session;
  readonly #framework: string;
  readonly #queue = new Queue();
  #items: Item[] = [];
  #next = 1;
  #waiting: Waiting<Item>[] = [];

  private constructor(session: Session, framework: string) {
    this.#session = session;
    this.#framework = framework;
  }

  /** One per session and process: items that wait must not depend on who added them. */
  static of<Item>(session: Session, framework: string): ItemLog<Item> {
    const key = Symbol.for(`holdfast: items of ${framework}`);
    return session.companion(key, () => new ItemLog<Item>(session, framework));
  }

  /** The items. If the store fails, those that this process knows; the failure is reported. */
  items(report: Report): Promise<readonly Item[]> {
    return this.#queue.run(async () => {
      await this.#catchUp().catch((error) => report(this.#failure(error)));
      return this.#known();
    });
  }

  /** Never rejects: if the store fails, the items wait and the failure is reported. */
  async add(items: readonly Item[], report: Report): Promise<void> {
    if (items.length === 0) return;
    // The framework may change its items later.
    const added = JSON.parse(JSON.stringify(items)) as Item[];
    const waiting = {
      items: added,
      value: this.#valueOf({ added }),
      key: crypto.randomUUID(),
      isStored: false,
    };
    await this.#queue.run(async () => {
      this.#waiting.push(waiting);
      await this.#storeWaiting().catch((error) => report(this.#failure(error)));
    });
  }

  /** Rejects if the store fails: an item that comes back would be a surprise. */
  pop(): Promise<Item | undefined> {
    return this.#queue.run(async () => {
      await this.#catchUp();
      const last = this.#items.at(-1);
      if (last !== undefined) await this.#write(this.#valueOf({ popped: true }));
      return last;
    });
  }

  /** Rejects if the store fails, for the same reason. */
  clear(): Promise<void> {
    return this.#queue.run(async () => {
      await this.#storeWaiting();
      await this.#write(this.#valueOf({ cleared: true }));
    });
  }

  /** Stores what waits, and reads what this process or another has stored since. */
  async #catchUp(): Promise<void> {
    await this.#storeWaiting();
    const { row } = await this.#session.state();
    const last = row.counters.lastMessage;
    const values = this.#next > last ? [] : await this.#session.messages(this.#next, last);
    for (const value of values) this.#apply(value);
    this.#next = Math.max(this.#next, last + 1);
    this.#waiting = this.#waiting.filter(({ isStored }) => !isStored);
  }

  /** In order, and no further than the first that fails: what is stored is always the beginning of the list. */
  async #storeWaiting(): Promise<void> {
    for (const waiting of this.#waiting) {
      if (waiting.isStored) continue;
      await this.#write(waiting.value, waiting.key);
      waiting.isStored = true;
    }
  }

  #known(): Item[] {
    return [...this.#items, ...this.#waiting.flatMap(({ items }) => items)];
  }

  #failure(error: unknown): Error {
    const message = error instanceof Error ? error.message : String(error);
    const count = this.#waiting.filter(({ isStored }) => !isStored).flatMap(({ items }) => items).length;
    const waits = `${count === 1 ? "1 item" : `${count} items`} of the history not stored yet; the next call tries again`;
    return new Error(count === 0 ? message : `${message} (${waits})`, { cause: error });
  }

  /** Aside from the conversation, so that no prompt contains it. */
  #valueOf(change: Change<Item>): Json {
    const message = { role: "assistant", content: [], providerOptions: { [this.#framework]: change } };
    return JSON.parse(JSON.stringify({ message, at: this.#session.setting.clock(), aside: true })) as Json;
  }

  async #write(value: Json, key?: string): Promise<void> {
    await this.#session.apply({ type: "messages.add", messages: [value] }, key === undefined ? {} : { key });
  }

  #apply(value: Json): void {
    const { message } = value as { message?: { providerOptions?: Record<string, Change<Item> | undefined> } };
    const { added, popped, cleared } = message?.providerOptions?.[this.#framework] ?? {};
    if (cleared) this.#items = [];
    else if (popped) this.#items = this.#items.slice(0, -1);
    else if (added) this.#items = [...this.#items, ...added];
  }
}
