import type { Session } from "../sessions/session.ts";

/** Characters of a value or a log that are shown at once. */
export const pageCharacters = 8_000;
/** Outputs kept for each session, newest first. */
const mostKept = 20;

/** What programs put out that was too long to show, until newer ones take its place or the process ends. */
export class Outputs {
  readonly #kept = new WeakMap<Session, Map<string, string>>();
  #last = 0;

  /** The beginning, and how to read on; the whole text if it is short. */
  show(session: Session, text: string): string {
    if (text.length <= pageCharacters) return text;
    const kept = this.#kept.get(session) ?? new Map<string, string>();
    this.#kept.set(session, kept);
    const id = `out_${++this.#last}`;
    kept.set(id, text);
    for (const old of [...kept.keys()].slice(0, -mostKept)) kept.delete(old);
    return this.read(session, id, 0) ?? "";
  }

  /** A page of it; undefined when it is no longer there. */
  read(session: Session, id: string, offset: number): string | undefined {
    const text = this.#kept.get(session)?.get(id);
    if (text === undefined) return undefined;
    const end = Math.min(text.length, offset + pageCharacters);
    const page = text.slice(offset, end).toWellFormed();
    if (end === text.length) return page;
    return `${page}\n[Characters ${offset} to ${end} of ${text.length}. For the rest call read_output with id "${id}" and offset ${end}; the last ${mostKept} outputs are kept while this process runs.]`;
  }
}
