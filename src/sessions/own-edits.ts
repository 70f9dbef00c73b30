import { callKeyOf } from "../surfaces/call-key.ts";

/** More edits than a model makes between two texts of the memory. */
const maxKeys = 10_000;

/** The keys of the edits that a model made itself, in this process: it saw them in its calls, so they are no news to it. */
export class OwnEdits {
  readonly #keys = new Set<string>();

  /** Returns the key of one of the model's own edits: the same for the same call sent again. */
  async keyOf(id: unknown, tool: string, input: unknown): Promise<string> {
    const key = (await callKeyOf(id, tool, input)) ?? `call-of-${crypto.randomUUID()}`;
    this.#keys.add(key);
    const [oldest = ""] = this.#keys;
    if (this.#keys.size > maxKeys) this.#keys.delete(oldest);
    return key;
  }

  /** Whether an entry of the journal is one of them. */
  has(key: string | null): boolean {
    return key !== null && this.#keys.has(key);
  }
}
