import { Queue } from "../engine/queue.ts";
import type { NoteValue } from "../engine/records.ts";
import type { SessionRow } from "../engine/state.ts";
import type { Store } from "../stores/store.ts";
import { NoteIndex } from "../surfaces/notes/note-index.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import { readJournal, readRecords } from "./lineage.ts";

/** Beyond this many entries, reloading the notes is cheaper than replaying the journal. */
const maxReplay = 2_000;

/** Notes indexed before yielding to other work. */
const indexBatch = 500;

/** A session's notes in memory: loaded on first use, kept current from the journal. */
export class NoteCache {
  #index: NoteIndex | undefined;
  #revision = 0;
  #createdAt = 0;
  #indexing = false;
  readonly #reads = new Queue();

  /** Serialised: a slow reader must not replay old entries over newer ones. */
  at(store: Store, row: SessionRow): Promise<NoteIndex> {
    return this.#reads.run(() => this.#catchUp(store, row));
  }

  /** Applies a commit of this process, so that it need not be read back. */
  follow(entry: JournalEntry): void {
    if (!this.#index || entry.revision !== this.#revision + 1) return;
    this.#replay(entry);
    this.#revision = entry.revision;
  }

  /** Indexes in batches, so that the first search of a large session does not stall. */
  async indexInBackground(): Promise<void> {
    if (this.#indexing) return;
    this.#indexing = true;
    while (this.#index?.needsIndex) {
      this.#index.indexSome(indexBatch);
      await new Promise((proceed) => setTimeout(proceed, 0));
    }
    this.#indexing = false;
  }

  async #catchUp(store: Store, row: SessionRow): Promise<NoteIndex> {
    const behind = row.revision - this.#revision;
    // A different creation time means the session was purged and its id reused.
    if (!this.#index || row.createdAt !== this.#createdAt || behind > maxReplay)
      return this.#load(store, row);
    if (behind > 0) {
      const entries = await readJournal(store, row, { from: this.#revision + 1 });
      // A redaction changes stored notes without listing them, and retention may have removed an entry.
      const isPartial = entries.length < behind;
      if (isPartial || entries.some(({ operation }) => operation.type === "session.redact"))
        return this.#load(store, row);
      for (const entry of entries) this.#replay(entry);
      this.#revision = row.revision;
    }
    return this.#index;
  }

  async #load(store: Store, row: SessionRow): Promise<NoteIndex> {
    const index = new NoteIndex();
    for (const { key, value } of await readRecords(store, row, { kinds: ["note"] })) {
      index.set(key, value as NoteValue | null);
    }
    this.#index = index;
    this.#createdAt = row.createdAt;
    this.#revision = row.revision;
    return index;
  }

  #replay(entry: JournalEntry): void {
    for (const change of entry.changes) {
      if (change.type === "record" && change.kind === "note") {
        this.#index?.set(change.key, change.after);
      }
    }
  }
}
