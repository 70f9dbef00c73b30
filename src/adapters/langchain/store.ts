import type * as LangGraph from "@langchain/langgraph";
import { BaseStore, type Item } from "@langchain/langgraph";
import { isObject } from "../../engine/json.ts";
import { normaliseTexts } from "../../engine/text.ts";
import { isHoldfastError } from "../../errors.ts";
import type { Session } from "../../sessions/session.ts";
import type { Note } from "../../surfaces/notes/operations.ts";

/** The tag of the notes that are items of the store. */
const storeTag = "langgraph-store";

/**
 * A LangGraph store on a session's notes: durable, journaled, and visible in the inspector. A checkpointer keeps the
 * state of one thread; this keeps what outlives it.
 *
 * @example
 * const agent = createAgent({ model, tools, checkpointer, store: new HoldfastStore(await memory.openSession("shared")) });
 */
export class HoldfastStore extends BaseStore {
  readonly #session: Session;

  constructor(session: Session) {
    super();
    this.#session = session;
  }

  override async batch<Operations extends LangGraph.Operation[]>(
    operations: Operations,
  ): Promise<LangGraph.OperationResults<Operations>> {
    const results: unknown[] = [];
    for (const operation of operations) results.push(await this.#run(operation));
    return results as LangGraph.OperationResults<Operations>;
  }

  async #run(operation: LangGraph.Operation): Promise<unknown> {
    if ("value" in operation) return this.#put(operation);
    if ("key" in operation) return (await this.#at(operation))[0]?.item ?? null;
    return "namespacePrefix" in operation ? this.#search(operation) : this.#listNamespaces(operation);
  }

  /** A value of null deletes the item. */
  async #put({ namespace, key, value }: LangGraph.PutOperation): Promise<void> {
    const find = () => this.#at({ namespace, key });
    const content = JSON.stringify({ namespace, key, value });
    if (value === null) return deleteNotes(this.#session, await find());
    return putNote(this.#session, { find, content, tag: storeTag });
  }

  async #search(operation: LangGraph.SearchOperation): Promise<Item[]> {
    const { namespacePrefix, filter = {}, limit = 10, offset = 0, query = "" } = operation;
    return (await this.#items(query))
      .map(({ item }) => item)
      .filter(({ namespace }) => namespacePrefix.every((part, index) => namespace[index] === part))
      .filter(({ value }) => Object.entries(filter).every(([field, wanted]) => matches(value[field], wanted)))
      .slice(offset, offset + limit);
  }

  async #listNamespaces(operation: LangGraph.ListNamespacesOperation): Promise<string[][]> {
    const { matchConditions = [], maxDepth, limit, offset } = operation;
    const found = (await this.#items())
      .map(({ item }) => item.namespace)
      .filter((namespace) => matchConditions.every((condition) => fits(namespace, condition)))
      .map((namespace) => JSON.stringify(namespace.slice(0, maxDepth)));
    const sorted = [...new Set(found)].sort();
    return sorted.slice(offset, offset + limit).map((namespace) => JSON.parse(namespace) as string[]);
  }

  /** Newest first: a store of an earlier version may have two items of one key. */
  async #at({ namespace, key }: LangGraph.GetOperation) {
    const isSame = ({ item }: { item: Item }) =>
      item.key === key && JSON.stringify(item.namespace) === JSON.stringify(namespace);
    return (await this.#items()).filter(isSame);
  }

  async #items(query = ""): Promise<{ id: string; item: Item }[]> {
    const { notes } = await this.#session.notes.search({ query, tags: [storeTag], limit: maxItems });
    return notes.flatMap((note) => {
      const item = itemOf(note);
      return item ? [{ id: note.id, item }] : [];
    });
  }
}

const maxItems = 100_000;

/** A note that someone has edited may no longer be an item. */
function itemOf({ content, createdAt, updatedAt }: Note): Item | undefined {
  try {
    const { namespace, key, value } = JSON.parse(content) as Partial<Item>;
    if (!Array.isArray(namespace) || typeof key !== "string" || !isObject(value)) return undefined;
    return { namespace, key, value, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
  } catch {
    return undefined;
  }
}

function fits(namespace: readonly string[], { matchType, path }: LangGraph.MatchCondition): boolean {
  const start = matchType === "prefix" ? 0 : namespace.length - path.length;
  return start >= 0 && path.every((part, index) => part === "*" || part === namespace[start + index]);
}

/** Equality, or LangGraph's operators, such as { $gt: 3 }. */
function matches(value: unknown, wanted: unknown): boolean {
  if (!isObject(wanted) || !Object.keys(wanted).some((name) => name.startsWith("$")))
    return JSON.stringify(value) === JSON.stringify(wanted);
  return Object.entries(wanted).every(([name, than]) => operators[name]?.(value as never, than as never));
}

const operators: Record<string, (value: never, wanted: never) => boolean> = {
  $eq: (value, wanted) => matches(value, wanted),
  $ne: (value, wanted) => !matches(value, wanted),
  $gt: (value, wanted) => value > wanted,
  $gte: (value, wanted) => value >= wanted,
  $lt: (value, wanted) => value < wanted,
  $lte: (value, wanted) => value <= wanted,
};

interface KeyedNote {
  /** The notes under the same key. */
  find: () => Promise<readonly { id: string }[]>;
  content: string;
  tag: string;
}

/** Updates the note under a key, or adds it. Both are one step, so that two puts at once, in any process, make one note. */
async function putNote(session: Session, { find, content, tag }: KeyedNote): Promise<void> {
  await session.change(
    // If another process writes between the look and the commit, the session looks again.
    async () => {
      const [known] = await find();
      return known
        ? normaliseTexts({ type: "notes.update" as const, id: known.id, content })
        : normaliseTexts({ type: "notes.add" as const, content, tags: [tag] });
    },
    () => true,
  );
}

/** Deletes notes, also if someone else deletes them at the same time. */
async function deleteNotes(session: Session, notes: readonly { id: string }[]): Promise<void> {
  for (const { id } of notes) {
    await session.notes.delete(id).catch((error) => {
      if (!isHoldfastError(error) || error.code !== "not_found") throw error;
    });
  }
}
