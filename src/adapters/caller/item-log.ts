import type { Json } from "../../engine/json.ts";
import type { Session } from "../../sessions/session.ts";

/** One change of the list, as it is stored. */
interface Change<Item> {
  added?: Item[];
  popped?: true;
  cleared?: true;
}

/** A framework's own list of items, exactly as it gave them, stored in a session beside the conversation. */
export class ItemLog<Item> {
  readonly #session: Session;
  readonly #framework: string;
  #items: Item[] = [];
  #next = 1;

  constructor(session: Session, framework: string) {
    this.#session = session;
    this.#framework = framework;
  }

  async items(): Promise<readonly Item[]> {
    const { row } = await this.#session.state();
    const last = row.counters.lastMessage;
    if (this.#next > last) return this.#items;
    const values = await this.#session.messages(this.#next, last);
    // Another call may have read the same messages meanwhile.
    for (const value of values.slice(values.length - (last + 1 - this.#next))) this.#apply(value);
    this.#next = Math.max(this.#next, last + 1);
    return this.#items;
  }

  async add(items: readonly Item[]): Promise<void> {
    if (items.length > 0) await this.#write({ added: [...items] });
  }

  async pop(): Promise<Item | undefined> {
    const last = (await this.items()).at(-1);
    if (last !== undefined) await this.#write({ popped: true });
    return last;
  }

  async clear(): Promise<void> {
    await this.#write({ cleared: true });
  }

  /** Aside from the conversation, so that no prompt contains it. */
  async #write(change: Change<Item>): Promise<void> {
    const message = { role: "assistant", content: [], providerOptions: { [this.#framework]: change } };
    const at = this.#session.setting.clock();
    const value = JSON.parse(JSON.stringify({ message, at, aside: true })) as Json;
    await this.#session.apply({ type: "messages.add", messages: [value] });
  }

  #apply(value: Json): void {
    const { message } = value as { message?: { providerOptions?: Record<string, Change<Item> | undefined> } };
    const { added, popped, cleared } = message?.providerOptions?.[this.#framework] ?? {};
    if (cleared) this.#items = [];
    else if (popped) this.#items = this.#items.slice(0, -1);
    else if (added) this.#items = [...this.#items, ...added];
  }
}
