import { readEpoch } from "../engine/conversation.ts";
import type { Json } from "../engine/json.ts";
import { cutoff, day, firstKept, type RetentionRules } from "../engine/retention.ts";
import type { SessionSummary, Store } from "../stores/store.ts";
import { planCallTrim, type Trimming } from "../stores/trim.ts";
import { loadState, scopeOf } from "./lineage.ts";
import type { Memory } from "./memory.ts";

export interface RetentionParts {
  store: Store;
  /** The owners whose sessions are looked at. */
  owners: readonly string[];
  rules: RetentionRules;
  clock: () => number;
  /** Where the progress is kept, so that every process of the store knows it. */
  state: () => Promise<SweepState>;
  /** Removes a session permanently, unless it changed since or a fork reads from it. */
  purge: (session: SessionSummary) => Promise<boolean>;
}

const sweepEvery = day;
const pageSize = 50;
const firstDelay = 30_000;
const betweenSteps = 1_000;
const betweenSweeps = 6 * 3_600_000;
const stepMilliseconds = 20;

/** Removes in the background what the rules no longer keep: once a day, in small steps, each of which can be the last. */
export class Retention {
  readonly rules: RetentionRules;
  readonly #parts: RetentionParts;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
    this.rules = parts.rules;
  }

  /** Works in the background until `stop`. Does not keep the process alive. */
  start(): void {
    if (this.#store && Object.values(this.rules).some((rule) => rule > 0)) this.#schedule(firstDelay);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Works for about this long; true if the sweep is finished. Without `waits`, the next sweep starts now. */
  async step(milliseconds = stepMilliseconds, { waits = true } = {}): Promise<boolean> {
    const store = this.#store;
    if (!store) return true;
    const state = await this.#parts.state();
    const pace = new Pace(milliseconds);
    const stored = await readSweep(state);
    let sweep: Sweep = stored ?? { doneAt: 0 };
    if (sweep.position === undefined) {
      if (waits && this.#now < sweep.doneAt + sweepEvery) return true;
      sweep = { doneAt: sweep.doneAt, position: { owner: 0 } };
    }
    while (sweep.position && !pace.isOver && !this.#isStopped)
      sweep = await this.#continue(store, sweep, sweep.position, pace);
    // A small store is swept in one step; there is no need to write that down.
    if (stored || sweep.position) await state.write(sweep);
    return sweep.position === undefined;
  }

  /** Bytes that the store takes; undefined if it cannot tell. */
  async size(): Promise<number | undefined> {
    return this.#store?.trimming.size();
  }

  get #store(): TrimStore | undefined {
    const { store } = this.#parts;
    return store.trimming ? (store as TrimStore) : undefined;
  }

  get #now(): number {
    return this.#parts.clock();
  }

  #schedule(milliseconds: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(async () => {
      // A store that cannot be reached is tried again later; its writes report the problem.
      const isDone = await this.step().catch(() => true);
      this.#schedule(isDone ? betweenSweeps : betweenSteps);
    }, milliseconds);
    // A browser's timer is a number.
    if (typeof this.#timer === "object") this.#timer.unref?.();
  }

  async #continue(store: TrimStore, sweep: Sweep, position: Position, pace: Pace): Promise<Sweep> {
    const owner = this.#parts.owners[position.owner];
    if (owner === undefined) return { doneAt: this.#now };
    const { after } = position;
    const page = await store.sessions(owner, { limit: pageSize, ...(after ? { after } : {}) });
    let last = after;
    const stopped = () => ({ ...sweep, position: placeAfter(position.owner, last) });
    for (const session of page) {
      if (pace.isOver || this.#isStopped) return stopped();
      pace.looked++;
      if (this.#isExpired(session)) await this.#parts.purge(session);
      else if (!(await trimSession(store, session, { rules: this.rules, now: this.#now }))) {
        pace.looked += pageSize;
        return stopped();
      }
      last = { updatedAt: session.updatedAt, id: session.id };
    }
    const isLast = page.length < pageSize;
    return isLast ? { ...sweep, position: { owner: position.owner + 1 } } : stopped();
  }

  #isExpired({ status, updatedAt }: SessionSummary): boolean {
    const { deletedDays, archivedDays } = this.rules;
    if (status === "deleted") return updatedAt < cutoff(deletedDays, this.#now);
    return status === "archived" && updatedAt < cutoff(archivedDays, this.#now);
  }
}

/** When a step ends: after its time, but not before it has looked at a page of sessions. */
class Pace {
  readonly #until: number;
  looked = 0;

  constructor(milliseconds: number) {
    this.#until = Date.now() + milliseconds;
  }

  get isOver(): boolean {
    return this.looked >= pageSize && Date.now() >= this.#until;
  }
}

type Position = NonNullable<Sweep["position"]>;

function placeAfter(owner: number, after: Position["after"]): Position {
  return { owner, ...(after ? { after } : {}) };
}

/** Entries removed in one step. */
const batch = 500;

type TrimStore = Store & { readonly trimming: Trimming };

/** Removes one batch of a session's old history and model calls; true if nothing is left to remove. */
async function trimSession(
  store: TrimStore,
  session: SessionSummary,
  conditions: Conditions,
): Promise<boolean> {
  const hasNoOldEntries = await trimEntries(store, session, conditions);
  const hasNoOldCalls = await trimCalls(store, session, conditions);
  return hasNoOldEntries && hasNoOldCalls;
}

interface Conditions {
  rules: RetentionRules;
  now: number;
}

async function trimEntries(
  store: TrimStore,
  session: SessionSummary,
  conditions: Conditions,
): Promise<boolean> {
  const { rules, now } = conditions;
  const scope = scopeOf(session);
  const { trimming } = store;
  const newest = session.revision;
  const [first] = await trimming.oldest(scope, 1);
  const any = { newest, protectedFrom: newest, now };
  if (!first || firstKept([first], any, rules) <= first.revision) return true;
  const oldest = await trimming.oldest(scope, batch);
  const protectedFrom = await firstOfEpoch(store, session);
  const kept = firstKept(oldest, { newest, protectedFrom, now }, rules);
  const count = oldest.filter(({ revision }) => revision < kept).length;
  if (count === 0) return true;
  await trimming.dropEntries(scope, kept);
  return count < batch;
}

/** An agent that continues a conversation finds in the journal what changed since it was shown its memory. */
async function firstOfEpoch(store: Store, { owner, id, revision }: SessionSummary): Promise<number> {
  const state = await loadState({ store }, owner, id);
  return state && state.row.counters.lastMessage > 0 ? readEpoch(state).shownAt + 1 : revision;
}

async function trimCalls(
  store: TrimStore,
  session: SessionSummary,
  conditions: Conditions,
): Promise<boolean> {
  const { ledger, trimming } = store;
  const scope = scopeOf(session);
  const { rules, now } = conditions;
  const [first] = (await ledger?.calls(scope, { limit: 1 })) ?? [];
  if (!ledger || !first) return true;
  const plan = planCallTrim(await ledger.calls(scope, {}), now, rules);
  if (!plan) return true;
  // If a call was recorded meanwhile, the session is busy: the next sweep makes a new plan.
  return !(await trimming.dropCalls(scope, plan));
}

/** How far retention has got. Kept in the store, so that every process knows it. */
interface Sweep {
  /** When the last sweep ended. */
  doneAt: number;
  /** Where the current one is; undefined between two. */
  position?: { owner: number; after?: { updatedAt: number; id: string } };
}

interface SweepState {
  read(): Promise<Json | undefined>;
  write(sweep: Sweep): Promise<void>;
}

/** Undefined if there is none, or a newer version wrote it differently. */
async function readSweep(state: Pick<SweepState, "read">): Promise<Sweep | undefined> {
  const value = await state.read();
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { doneAt, position } = value;
  if (typeof doneAt !== "number") return undefined;
  return { doneAt, ...(isPosition(position) ? { position } : {}) };
}

function isPosition(value: Json | undefined): value is NonNullable<Sweep["position"]> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && typeof value.owner === "number"
  );
}

/** The progress has a separate owner, so that it is never listed among the sessions. */
export function retentionOwner(owner: string): string {
  return `${owner}/retention`;
}

/** The session that holds an owner's progress. */
export async function sweepId(owner: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(owner));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `retention-${hex.slice(0, 32)}`;
}

/** Reading creates nothing. */
export function sweepStateIn(memory: Pick<Memory, "findSession" | "openSession">, id: string): SweepState {
  const key = "sweep";
  return {
    read: async () => (await (await memory.findSession(id))?.scratch.get(key))?.value,
    write: async (sweep) => {
      await (await memory.openSession(id)).scratch.set(key, { ...sweep }, { actor: { kind: "system" } });
    },
  };
}
