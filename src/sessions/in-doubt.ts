import type { State } from "../engine/state.ts";
import type { Scope, Store } from "../stores/store.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import type { AppliedOperation } from "../surfaces/session-handle.ts";

/** What the caller would have got, had the store answered. */
export interface Unanswered {
  entry: JournalEntry;
  result: unknown;
  warnings: string[];
}

/**
 * Commits whose answer was lost (`store_unknown`). The error asks the caller to send the same call again; if the commit was
 * applied after all, the second call gets its answer instead of applying the operation twice.
 */
export class InDoubt {
  #unanswered: Unanswered[] = [];

  remember(unanswered: Unanswered): void {
    this.#unanswered.push(unanswered);
  }

  /** The commit of this very operation, if the journal has it. */
  async find(
    store: Store,
    scope: Scope,
    operation: JournalEntry["operation"],
  ): Promise<Unanswered | undefined> {
    const same = this.#unanswered.filter(({ entry }) => isSame(entry.operation, operation));
    for (const each of same) {
      const { revision } = each.entry;
      const [stored] = await store.journal(scope, { from: revision, to: revision });
      // An abandoned server process may still apply it.
      if (!stored) continue;
      this.#unanswered = this.#unanswered.filter((other) => other !== each);
      const isApplied =
        stored.at === each.entry.at &&
        stored.key === each.entry.key &&
        isSame(stored.operation, each.entry.operation);
      if (isApplied) return each;
    }
    return undefined;
  }

  /** A revision is taken: no other commit for it can be applied. */
  settle(revision: number): void {
    if (this.#unanswered.length > 0)
      this.#unanswered = this.#unanswered.filter(({ entry }) => entry.revision > revision);
  }
}

/** Safe cast: the same operation has the same kind of result. */
export function unansweredResult<Result>(
  { entry, result, warnings }: Unanswered,
  state: State,
): AppliedOperation<Result> {
  return { result: result as Result, warnings, revision: entry.revision, repeated: true, state };
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
