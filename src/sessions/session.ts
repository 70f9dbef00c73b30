import type { Context } from "../context/blocks.ts";
import { step } from "../engine/commit.ts";
import type { HistoryStart } from "../engine/history-start.ts";
import type { Actor } from "../engine/journal.ts";
import type { Json } from "../engine/json.ts";
import { hasMoreText } from "../engine/json.ts";
import { messageKey } from "../engine/messages.ts";
import type { Applied } from "../engine/operations.ts";
import { originChanges } from "../engine/origins.ts";
import { Queue } from "../engine/queue.ts";
import {
  type Receipt,
  type RecordId,
  type RecordKind,
  type RecordValue,
  type RecordValues,
  recordId,
} from "../engine/records.ts";
import type { ProjectPin, State } from "../engine/state.ts";
import { normaliseTexts } from "../engine/text.ts";
import { HoldfastError, isHoldfastError } from "../errors.ts";
import { makeGuard, type SecretGuard } from "../secrets/guard.ts";
import { notifyListener, type Scope, type Store } from "../stores/store.ts";
import type { Knowledge } from "../surfaces/knowledge/handle.ts";
import { type KeyValues, keyValuesOf } from "../surfaces/knowledge/handle.ts";
import { type Notepad, notepadOf } from "../surfaces/notepad/handle.ts";
import { type Notes, notesOf } from "../surfaces/notes/handle.ts";
import { applyOperation, type JournalEntry, type Operation, type ResultOf } from "../surfaces/operations.ts";
import { type Pins, pinsOf } from "../surfaces/pins/handle.ts";
import { type ScratchpadHandle, scratchpadOf } from "../surfaces/scratchpad/handle.ts";
import type {
  AppliedOperation,
  ApplyOptions,
  HistorySelection,
  SessionHandle,
} from "../surfaces/session-handle.ts";
import { type CallOptions, ownLoop, type Presentation } from "../surfaces/surface.ts";
import type { ToolAnswer, ToolDescription } from "../surfaces/toolbox.ts";
import { CallLog } from "./call-log.ts";
import { diffSnapshots, type MemoryDiff, type MemorySnapshot, snapshotAt, undo } from "./history.ts";
import {
  loadState,
  readHistoryStart,
  readJournal,
  readRecords,
  scopeOf,
  sessionNotFound,
} from "./lineage.ts";
import { checkApplyOptions, type MemoryConfig } from "./options.ts";

type Evaluated<O extends Operation> = Extract<Applied<ResultOf<O>>, { status: "applied" }>;

/** Max attempts to commit an operation while other writers keep committing first. */
const maxAttempts = 10_000;

/** Characters. */
const largeOperation = 1_000_000;

/** The parts that all sessions of a memory share. */
export interface SharedSessions {
  knowledge(agent: string): Promise<Knowledge<Session>>;
  project(): Promise<Session>;
  /** The same list as long as nothing has changed. */
  projectPins(): Promise<readonly ProjectPin[]>;
}

/** The working memory of one conversation. */
export class Session implements SessionHandle {
  readonly id: string;
  readonly owner: string;
  readonly notepad: Notepad = notepadOf(this);
  readonly notes: Notes = notesOf(this);
  readonly scratchpad: ScratchpadHandle = scratchpadOf(this);
  readonly pins: Pins = pinsOf(this);
  /** JSON values of this session only. */
  readonly scratch: KeyValues = keyValuesOf(async () => this);
  /** The model calls made for this session. */
  readonly calls: CallLog;
  readonly #setting: MemoryConfig;
  readonly #shared: SharedSessions;
  readonly #companions = new Map<symbol, unknown>();
  readonly #queue = new Queue();
  readonly #guard: SecretGuard;
  readonly #inDoubt = new InDoubt();
  #state: State;

  constructor(setting: MemoryConfig, state: State, shared: SharedSessions) {
    this.#setting = setting;
    this.#shared = shared;
    this.#state = state;
    this.id = state.row.id;
    this.owner = state.row.owner;
    this.#guard = setting.guard ?? makeGuard();
    this.calls = new CallLog(setting.store.ledger, scopeOf(state.row), (text) => this.#guard.hide(text));
  }

  /**
   * Applies one operation durably. Operations of one process run in order; if another process commits first,
   * the operation is retried on the new state.
   */
  async apply<O extends Operation>(
    operation: O,
    options: ApplyOptions = {},
  ): Promise<AppliedOperation<ResultOf<O>>> {
    const normal = normaliseTexts(operation);
    const isSame = (earlier: JournalEntry) =>
      JSON.stringify(earlier.operation) === JSON.stringify(this.#guard.hide(normal));
    return this.change(() => normal, isSame, options);
  }

  /**
   * Like `apply`, but builds the operation from the current state. `isSame` decides whether the journal entry
   * found by the idempotency key was the same request.
   */
  change<O extends Operation>(
    make: (state: State) => O | Promise<O>,
    isSame: (earlier: JournalEntry) => boolean,
    options: ApplyOptions = {},
  ): Promise<AppliedOperation<ResultOf<O>>> {
    return this.#queue.run(() => this.#apply(make, isSame, checkApplyOptions(options)));
  }

  /** The parts of the memory, for agents, adapters and hosts. */
  get setting(): MemoryConfig {
    return this.#setting;
  }

  /** A text from the store without its secrets, for showing; the text itself where secrets are allowed. */
  hideSecrets(text: string): string {
    return this.#guard.hide(text);
  }

  /** An object a driver keeps with this session in this process, created on first use. */
  companion<T>(key: symbol, make: () => T): T {
    if (!this.#companions.has(key)) this.#companions.set(key, make());
    return this.#companions.get(key) as T;
  }

  /** The current state; reloaded only if another writer has committed. */
  async state(): Promise<State> {
    const stored = this.#setting.store.revision(scopeOf(this.#state.row));
    const revision = typeof stored === "number" ? stored : await stored;
    if (revision !== this.#state.row.revision) await this.#reload();
    if (this.#setting.project !== undefined) {
      const projectPins = await this.#shared.projectPins();
      if (projectPins !== this.#state.projectPins) this.#state = { ...this.#state, projectPins };
    }
    return this.#state;
  }

  /** The texts for the model: blocks and guidance, and where they go. Pass `presentation` if you place them otherwise. */
  async context(presentation: Presentation = ownLoop): Promise<Context> {
    await this.#setting.toolbox.refresh(this);
    return this.#setting.toolbox.presentAs(presentation).context(await this.state());
  }

  /** Descriptions of the agent's current tools, for the model. */
  async tools(presentation: Presentation = ownLoop): Promise<ToolDescription[]> {
    await this.#setting.toolbox.refresh(this);
    return this.#setting.toolbox.presentAs(presentation).describe(this.#state.row);
  }

  /** Calls a tool by name, as an agent would. A rejected call returns an answer; it does not throw. */
  call(tool: string, input: unknown, options: CallOptions = {}): Promise<ToolAnswer> {
    return this.#setting.toolbox.dispatch(this, tool, input, options);
  }

  /** The agent's knowledge, shared by all its sessions. */
  knowledge(): Promise<Knowledge<Session>> {
    return this.#shared.knowledge(this.#state.row.agent);
  }

  /** The session that holds the pins of the whole project; this one if the memory belongs to no project. */
  async project(): Promise<Session> {
    return this.#setting.project === undefined ? this : this.#shared.project();
  }

  /** Conversation messages by number, from 1; `from` and `to` are inclusive. */
  async messages(from = 1, to = Number.MAX_SAFE_INTEGER): Promise<Json[]> {
    const { row } = await this.state();
    const last = Math.min(to, row.counters.lastMessage);
    const records = await readRecords(this.#setting.store, row, {
      kinds: ["message"],
      from: messageKey(from),
      to: messageKey(last),
    });
    return records.map(({ value }) => value);
  }

  async records<Kind extends RecordKind>(
    kind: Kind,
    keys?: readonly string[],
    range: { from?: string; to?: string } = {},
  ): Promise<{ key: string; value: RecordValues[Kind] }[]> {
    const { row } = await this.state();
    const records = await readRecords(this.#setting.store, row, {
      kinds: [kind],
      ...(keys ? { keys } : {}),
      ...range,
    });
    const existing = records.filter(({ value }) => value !== null);
    // Safe cast: only `RecordValues[Kind]` is ever committed under a kind.
    return existing as { key: string; value: unknown }[] as { key: string; value: RecordValues[Kind] }[];
  }

  /** The receipts of all compactions, oldest first. */
  async receipts(): Promise<Receipt[]> {
    const records = await this.records("receipt");
    return records.map(({ value }) => value).sort((a, b) => a.epoch - b.epoch);
  }

  /** Journal entries (default order: newest first). */
  async history(selection: HistorySelection = {}): Promise<JournalEntry[]> {
    const { row } = await this.state();
    return readJournal(this.#setting.store, row, { newestFirst: true, ...selection });
  }

  /** The oldest entry of a history that retention has shortened; undefined if it is whole. */
  async historyStart(): Promise<HistoryStart | undefined> {
    const { row } = await this.state();
    return readHistoryStart(this.#setting.store, row);
  }

  /** The memory right after a revision. Throws `history_removed` if retention removed what it takes to tell. */
  async at(revision: number): Promise<MemorySnapshot> {
    return snapshotAt(this, revision);
  }

  async diff(from: number, to: number): Promise<MemoryDiff> {
    return diffSnapshots(await this.at(from), await this.at(to));
  }

  /** Undoes the last operation, or that of a revision. Throws `cannot_undo` if a later change conflicts. */
  async undo(revision?: number, options: ApplyOptions = {}): Promise<AppliedOperation<{ undone: number }>> {
    return undo(this, revision, options);
  }

  /** The entry that was written with an idempotency key, if there is one. */
  async entryByKey(key: string): Promise<JournalEntry | undefined> {
    const { store } = this.#setting;
    return (await store.entryByKey(scopeOf(this.#state.row), key)) as JournalEntry | undefined;
  }

  /** Calls the listener with every later entry, in order, from any process. */
  async watch(listener: (entry: JournalEntry) => void): Promise<() => void> {
    let seen = (await this.state()).row.revision;
    const reads = new Queue();
    let stopped = false;
    const catchUp = async () => {
      for (const entry of await this.history({ from: seen + 1, newestFirst: false })) {
        if (stopped) return;
        seen = entry.revision;
        notifyListener(listener, entry);
      }
    };
    const scheduleRead = () => {
      reads.run(catchUp).catch(() => undefined);
    };
    const stop = await this.#setting.store.watch((change) => {
      if (change.sessionId === this.id && change.owner === this.owner) scheduleRead();
    }, scopeOf(this.#state.row));
    // Catch entries written before the subscription was active.
    scheduleRead();
    return () => {
      stopped = true;
      stop();
    };
  }

  async #apply<O extends Operation>(
    make: (state: State) => O | Promise<O>,
    isSame: (earlier: JournalEntry) => boolean,
    options: ApplyOptions,
  ): Promise<AppliedOperation<ResultOf<O>>> {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      if (options.key !== undefined) {
        const earlier = await this.entryByKey(options.key);
        if (earlier)
          return firstAnswer<ResultOf<O>>(earlier, isSame(earlier), options.key, await this.state());
      }
      const state = this.#state;
      const now = this.#setting.clock();
      let planned: Planned<O>;
      try {
        const { value: operation, notice } = await this.#make(state, make, now, options);
        const earlier = await this.#inDoubt.find(this.#setting.store, scopeOf(state.row), operation);
        if (earlier) return unansweredResult<ResultOf<O>>(earlier, await this.state());
        planned = { operation, notice, applied: await this.#evaluate(state, operation, now, options.actor) };
      } catch (error) {
        // If the state was stale, retry instead of reporting the error.
        if ((await this.state()) === state) throw error;
        continue;
      }
      const { applied, notice } = planned;
      const entry = entryOf(state, planned, now, options);
      const next = await this.#commit(state, entry, applied);
      if (next)
        return {
          result: applied.result,
          warnings: notice === "" ? applied.warnings : [...applied.warnings, notice],
          revision: entry.revision,
          repeated: false,
          state: next,
        };
      await this.#reload();
    }
    throw new HoldfastError(
      "conflict",
      `Session ${this.id} has too many concurrent writers: this change conflicted ${maxAttempts} times. Nothing was changed. Try again.`,
    );
  }

  /** The operation, without the secrets in it, and a notice if it had any. */
  async #make<O extends Operation>(
    state: State,
    make: (state: State) => O | Promise<O>,
    now: number,
    options: ApplyOptions,
  ): Promise<{ value: O; notice: string }> {
    const made = await make(state);
    checkWritable(state.row, made);
    // A text that a limit refuses is not searched for secrets first, which takes seconds for a hundred megabytes.
    if (hasMoreText(made, largeOperation)) await this.#evaluate(state, made, now, options.actor);
    return this.#guard.clean(made, { isRecord: isRecord(made, options) });
  }

  /** Stores an entry durably and returns the state after it; undefined if another process wrote first. */
  async #commit(
    state: State,
    entry: JournalEntry,
    { result, warnings }: Evaluated<Operation>,
  ): Promise<State | undefined> {
    const next = step(state, entry);
    const done = await this.#setting.store
      .commit({
        scope: scopeOf(state.row),
        expected: state.row.revision,
        row: next.state.row,
        notepadChanged: next.notepadChanged,
        records: next.records,
        entry,
      })
      .catch((error: unknown) => {
        if (isHoldfastError(error) && error.code === "store_unknown")
          this.#inDoubt.remember({ entry, result, warnings });
        throw error;
      });
    if (!done) return undefined;
    this.#inDoubt.settle(entry.revision);
    this.#state = next.state;
    return next.state;
  }

  /** Applies an operation to a state without committing it, loading the records it needs. */
  async #evaluate<O extends Operation>(
    state: State,
    operation: O,
    now: number,
    actor?: Actor,
  ): Promise<Evaluated<O>> {
    const { limits, countTokens, store } = this.#setting;
    const loaded = new Map<RecordId, RecordValue | null>();
    for (;;) {
      const applied = applyOperation(state, loaded, operation, { now, limits, countTokens, by: actor?.kind });
      if (applied.status === "applied") return applied;
      for (const id of applied.ids) loaded.set(id, null);
      const byKind = Map.groupBy(applied.ids, (id) => id.slice(0, id.indexOf("/")) as RecordKind);
      for (const [kind, ids] of byKind) {
        const keys = ids.map((id) => id.slice(kind.length + 1));
        for (const { key, value } of await readRecords(store, state.row, { kinds: [kind], keys }))
          loaded.set(recordId(kind, key), value as RecordValue | null);
      }
    }
  }

  async #reload(): Promise<void> {
    const loaded = await loadState(this.#setting, this.owner, this.id);
    if (!loaded) throw sessionNotFound(this.id);
    this.#state = loaded;
  }
}

/** An operation that is ready to be committed to the state that it was made for. */
interface Planned<O extends Operation> {
  operation: O;
  applied: Evaluated<O>;
  /** About secrets in it, or "". */
  notice: string;
}

function entryOf<O extends Operation>(
  state: State,
  { operation, applied }: Planned<O>,
  at: number,
  options: ApplyOptions,
): JournalEntry {
  const { changes, result, warnings } = applied;
  const actor = options.actor ?? { kind: "agent" as const };
  return {
    revision: state.row.revision + 1,
    at,
    actor,
    surface: options.surface ?? operation.type.split(".")[0] ?? "",
    operation,
    changes: [...changes, ...originChanges(state, changes, actor)],
    key: options.key ?? null,
    result: options.key === undefined ? null : ({ result, warnings } as unknown as Json),
  };
}

/** Whether an operation records the conversation, or is made by Holdfast itself: nobody chose its words for memory. */
function isRecord(operation: Operation | undefined, { actor }: ApplyOptions): boolean {
  return actor?.kind === "system" || /^(?:messages|context|children|session)\./.test(operation?.type ?? "");
}

function firstAnswer<Result>(
  entry: JournalEntry,
  isSame: boolean,
  key: string,
  state: State,
): AppliedOperation<Result> {
  if (!isSame) {
    throw new HoldfastError(
      "key_reused",
      `The idempotency key ${JSON.stringify(key)} was used for another operation (revision ${entry.revision}). Use a new key for a new operation.`,
      { data: { key, revision: entry.revision } },
    );
  }
  const { result, warnings } = entry.result as unknown as { result: Result; warnings: string[] };
  return { result, warnings, revision: entry.revision, repeated: true, state };
}

/** An archived session changes only its status and its name, and can be forked. */
function checkWritable({ id, status }: State["row"], operation: Operation): void {
  if (status !== "archived" || operation.type.startsWith("session.")) return;
  throw new HoldfastError(
    "store_read_only",
    `Session ${id} is archived, so it is read-only. Nothing was changed. Restore it first: in "holdfast serve", or with memory.restoreSession.`,
    { data: { session: id } },
  );
}

/** The result that the caller would have got if the store had answered. */
interface Unanswered {
  entry: JournalEntry;
  result: unknown;
  warnings: string[];
}

/**
 * Commits whose answer was lost (`store_unknown`). The error asks the caller to send the same call again; if the commit was
 * applied after all, the second call gets its answer instead of applying the operation twice.
 */
class InDoubt {
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
    const same = this.#unanswered.filter(({ entry }) => isSameJson(entry.operation, operation));
    for (const each of same) {
      const { revision } = each.entry;
      const [stored] = await store.journal(scope, { from: revision, to: revision });
      // An abandoned server process may still apply it.
      if (!stored) continue;
      this.#unanswered = this.#unanswered.filter((other) => other !== each);
      const isApplied =
        stored.at === each.entry.at &&
        stored.key === each.entry.key &&
        isSameJson(stored.operation, each.entry.operation);
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
function unansweredResult<Result>(
  { entry, result, warnings }: Unanswered,
  state: State,
): AppliedOperation<Result> {
  return { result: result as Result, warnings, revision: entry.revision, repeated: true, state };
}

function isSameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
