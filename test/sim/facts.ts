import assert from "node:assert/strict";

/** The promises to each session. The simulation keeps this book itself and does not ask the store. */
export class Facts {
  readonly #acknowledged = new Map<string, Set<string>>();
  #number = 0;

  /** A new fact of a session; not promised yet. */
  invent(session: string): string {
    return `fact-${session}-${++this.#number}.`;
  }

  /** Memory has confirmed that it keeps the fact. */
  acknowledge(session: string, fact: string): void {
    const known = this.#acknowledged.get(session) ?? new Set();
    known.add(fact);
    this.#acknowledged.set(session, known);
  }

  of(session: string): string[] {
    return [...(this.#acknowledged.get(session) ?? [])];
  }

  /** Every promised fact is in the text, and none of another session. `isNotepad`: each once. */
  check(session: string, text: string, isNotepad = true): void {
    for (const fact of this.of(session)) {
      const found = text.split(fact).length - 1;
      assert.notEqual(found, 0, `${fact} was acknowledged and is not in the next request`);
      if (isNotepad) assert.equal(found, 1, `${fact} is there ${found} times`);
    }
    const foreign = [...text.matchAll(/fact-([a-z0-9]+)-\d+\./g)].find(([, owner]) => owner !== session);
    assert.equal(foreign?.[0], undefined, `session ${session} is shown a fact of another session`);
  }
}
