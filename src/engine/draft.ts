import {
  type Change,
  type Json,
  type Mark,
  type RecordId,
  type RecordKind,
  readText,
  recordId,
  recordKinds,
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

/** An operation's workbench: it reads what it wrote, and collects the changes. Nothing outside is touched. */
export class Draft {
  readonly changes: Change[] = [];
  readonly #state: State;
  readonly #loaded: ReadonlyMap<RecordId, Json>;
  readonly #records = new Map<RecordId, Json>();
  readonly #texts = new Map<TextTarget, string>();
  readonly #counters: Record<string, number>;

  constructor(state: State, loaded: ReadonlyMap<RecordId, Json>) {
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

  record(kind: RecordKind, key: string): Json {
    const id = recordId(kind, key);
    const written = this.#records.get(id);
    if (written !== undefined) return written;
    if (recordKinds[kind].resident) return this.#state.resident.get(id) ?? null;
    if (!this.#loaded.has(id)) throw new RecordsNeeded([id]);
    return this.#loaded.get(id) ?? null;
  }

  put(kind: RecordKind, key: string, value: Json): void {
    const before = this.record(kind, key);
    this.#records.set(recordId(kind, key), value);
    this.changes.push({ type: "record", kind, key, before, after: value });
  }

  /** A record that cannot exist yet (its key was just made), so nothing has to be read first. */
  insert(kind: RecordKind, key: string, value: Json): void {
    this.#records.set(recordId(kind, key), value);
    this.changes.push({ type: "record", kind, key, before: null, after: value });
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

  #knows(id: RecordId): boolean {
    return this.#records.has(id) || this.#loaded.has(id);
  }
}
