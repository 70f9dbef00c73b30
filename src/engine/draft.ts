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
  type Mark,
  type RecordChange,
  readText,
  type State,
  type Tally,
  type TextTarget,
} from "./state.ts";
import { spliceBetween } from "./text.ts";

/** Thrown inside an operation that reads records nobody has loaded yet; `apply` turns it into an answer. */
export class RecordsNeeded {
  readonly ids: RecordId[];
  constructor(ids: RecordId[]) {
    this.ids = ids;
  }
}

/** Records that were read for an operation; null for one that does not exist. */
export type LoadedRecords = ReadonlyMap<RecordId, RecordValue | null>;

/** An operation's workbench: it reads what it wrote, and collects the changes. Nothing outside is touched. */
export class Draft {
  readonly changes: Change[] = [];
  readonly #state: State;
  readonly #loaded: LoadedRecords;
  readonly #records = new Map<RecordId, RecordValue | null>();
  readonly #texts = new Map<TextTarget, string>();
  readonly #counters: Record<string, number>;

  constructor(state: State, loaded: LoadedRecords) {
    this.#state = state;
    this.#loaded = loaded;
    this.#counters = { ...state.row.counters };
  }

  get row(): State["row"] {
    return this.#state.row;
  }

  /** Asks for several records at once, so that loading them takes one round. */
  want(kind: RecordKind, keys: readonly string[]): void {
    const missing = keys.map((key) => recordId(kind, key)).filter((id) => !this.#knows(id));
    if (missing.length > 0 && !recordKinds[kind].resident) throw new RecordsNeeded(missing);
  }

  record<Kind extends RecordKind>(kind: Kind, key: string): RecordValues[Kind] | null {
    return this.#find(kind, recordId(kind, key)) as RecordValues[Kind] | null;
  }

  put<Kind extends RecordKind>(kind: Kind, key: string, value: RecordValues[Kind] | null): void {
    this.#write(kind, key, this.record(kind, key), value);
  }

  /** A record that cannot exist yet (its key was just made), so nothing has to be read first. */
  insert<Kind extends RecordKind>(kind: Kind, key: string, value: RecordValues[Kind]): void {
    this.#write(kind, key, null, value);
  }

  remove(kind: RecordKind, key: string): void {
    this.put(kind, key, null);
  }

  text(target: TextTarget): string {
    return this.#texts.get(target) ?? readText(this.#state, target);
  }

  /** `leaveUnused` makes an empty text one that was never used. */
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
    return this.#counters[name] ?? 0;
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

  #knows(id: RecordId): boolean {
    return this.#records.has(id) || this.#loaded.has(id);
  }
}
