import {
  type RecordId,
  type RecordKind,
  type RecordValue,
  type RecordValues,
  recordId,
  recordKinds,
} from "./records.ts";
import {
  type Change,
  type Counters,
  type Mark,
  type RecordChange,
  readText,
  type State,
  type Tally,
  type TextTarget,
} from "./state.ts";
import { spliceBetween } from "./text.ts";

/** Thrown when an operation reads records that are not loaded; `apply` catches it and returns their ids. */
export class RecordsNeeded {
  readonly ids: RecordId[];
  constructor(ids: RecordId[]) {
    this.ids = ids;
  }
}

/** Records loaded for an operation; null if there is no such record. */
export type LoadedRecords = ReadonlyMap<RecordId, RecordValue | null>;

/** Collects an operation's changes and lets it read its own writes. Never modifies the state it starts from. */
export class Draft {
  readonly changes: Change[] = [];
  readonly #state: State;
  readonly #loaded: LoadedRecords;
  readonly #records = new Map<RecordId, RecordValue | null>();
  readonly #texts = new Map<TextTarget, string>();
  readonly #counters: Counters;

  constructor(state: State, loaded: LoadedRecords) {
    this.#state = state;
    this.#loaded = loaded;
    this.#counters = { ...state.row.counters };
  }

  get row(): State["row"] {
    return this.#state.row;
  }

  /** Requests several records at once, so that they load in one round trip. */
  require(kind: RecordKind, keys: readonly string[]): void {
    const missing = keys.map((key) => recordId(kind, key)).filter((id) => !this.#isKnown(id));
    if (missing.length > 0 && !recordKinds[kind].resident) throw new RecordsNeeded(missing);
  }

  record<Kind extends RecordKind>(kind: Kind, key: string): RecordValues[Kind] | null {
    return this.#find(kind, recordId(kind, key)) as RecordValues[Kind] | null;
  }

  put<Kind extends RecordKind>(kind: Kind, key: string, value: RecordValues[Kind] | null): void {
    this.#write(kind, key, this.record(kind, key), value);
  }

  /** Writes a record whose key is new, so no existing value has to be loaded. */
  insert<Kind extends RecordKind>(kind: Kind, key: string, value: RecordValues[Kind]): void {
    this.#write(kind, key, null, value);
  }

  remove(kind: RecordKind, key: string): void {
    this.put(kind, key, null);
  }

  text(target: TextTarget): string {
    return this.#texts.get(target) ?? readText(this.#state, target);
  }

  /** `leaveUnused`: store an empty text as unused (null). */
  setText(target: TextTarget, next: string, leaveUnused = false): void {
    const unused = target === "notepad" ? this.row.notepad === null : !this.#state.resident.has(target);
    const first = unused && !this.#texts.has(target);
    this.changes.push({
      type: "text",
      target,
      ...spliceBetween(this.text(target), next),
      ...(first ? { first: true as const } : {}),
      ...(leaveUnused && next === "" ? { unused: true as const } : {}),
    });
    this.#texts.set(target, next);
  }

  counter(name: keyof State["row"]["counters"]): number {
    return this.#counters[name];
  }

  count(counter: Tally, by: number): void {
    if (by === 0) return;
    this.#counters[counter] = this.counter(counter) + by;
    this.changes.push({ type: "count", counter, by });
  }

  mark(counter: Mark, after: number): void {
    this.changes.push({ type: "mark", counter, before: this.counter(counter), after });
    this.#counters[counter] = after;
  }

  #find(kind: RecordKind, id: RecordId): RecordValue | null {
    const written = this.#records.get(id);
    if (written !== undefined) return written;
    if (recordKinds[kind].resident) return this.#state.resident.get(id) ?? null;
    if (!this.#loaded.has(id)) throw new RecordsNeeded([id]);
    return this.#loaded.get(id) ?? null;
  }

  #write<Kind extends RecordKind>(
    kind: Kind,
    key: string,
    before: RecordValues[Kind] | null,
    after: RecordValues[Kind] | null,
  ): void {
    this.#records.set(recordId(kind, key), after);
    this.changes.push({ type: "record", kind, key, before, after } as RecordChange);
  }

  #isKnown(id: RecordId): boolean {
    return this.#records.has(id) || this.#loaded.has(id);
  }
}
