import type { SessionHandle } from "../session-handle.ts";

/** Max characters of a value or log per answer. */
const pageCharacters = 8_000;
/** Max characters kept in total; the oldest outputs are dropped first. */
const maxKeptCharacters = 20_000_000;

/** Program outputs that were too long to show in full, kept in memory. */
export class Outputs {
  readonly #kept = new Map<string, { session: string; text: string }>();
  #characters = 0;
  #last = 0;

  /** The whole text if it is short; otherwise the first page and how to continue. */
  show(session: SessionHandle, text: string): string {
    if (text.length <= pageCharacters) return text;
    const id = `out_${++this.#last}`;
    this.#kept.set(id, { session: nameOf(session), text });
    this.#characters += text.length;
    for (const [oldest, { text: dropped }] of this.#kept) {
      if (this.#characters <= maxKeptCharacters) break;
      this.#kept.delete(oldest);
      this.#characters -= dropped.length;
    }
    return page(id, text, 0);
  }

  /** A page of an output; undefined if it was dropped or belongs to another session. */
  read(session: SessionHandle, id: string, offset: number): string | undefined {
    const kept = this.#kept.get(id);
    return kept?.session === nameOf(session) ? page(id, kept.text, offset) : undefined;
  }
}

function nameOf({ owner, id }: SessionHandle): string {
  return `${owner}/${id}`;
}

function page(id: string, text: string, offset: number): string {
  const end = Math.min(text.length, offset + pageCharacters);
  const shown = text.slice(offset, end).toWellFormed();
  if (end === text.length) return shown;
  return `${shown}\n[Characters ${offset} to ${end} of ${text.length}. For the rest call read_output with id "${id}" and offset ${end}; it is kept in memory for a while.]`;
}
