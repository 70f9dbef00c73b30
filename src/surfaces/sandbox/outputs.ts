import type { SessionHandle } from "../session-handle.ts";

/** Characters of a value or a log that are shown at once. */
const pageCharacters = 8_000;
/** Characters kept altogether; the oldest outputs go first. */
const mostKept = 20_000_000;

/** What programs put out that was too long to show, until newer ones take its place or the process ends. */
export class Outputs {
  readonly #kept = new Map<string, { session: string; text: string }>();
  #characters = 0;
  #last = 0;

  /** The beginning, and how to read on; the whole text if it is short. */
  show(session: SessionHandle, text: string): string {
    if (text.length <= pageCharacters) return text;
    const id = `out_${++this.#last}`;
    this.#kept.set(id, { session: nameOf(session), text });
    this.#characters += text.length;
    for (const [old, { text: gone }] of this.#kept) {
      if (this.#characters <= mostKept) break;
      this.#kept.delete(old);
      this.#characters -= gone.length;
    }
    return page(id, text, 0);
  }

  /** A page of it; undefined when it is no longer there, or belongs to another session. */
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
  return `${shown}\n[Characters ${offset} to ${end} of ${text.length}. For the rest call read_output with id "${id}" and offset ${end}; it is kept for a while, as long as this process runs.]`;
}
