import type { QueryResultRow } from "pg";
import { HoldfastError } from "../../errors.ts";
import { Lane, type Statement } from "./lane.ts";
import { openClient, type Pg, type ServerLimits, silenceMilliseconds } from "./open-client.ts";
import { failureOf, postgresError, unknownOutcome } from "./postgres-errors.ts";
import type { ServerAddress } from "./server-address.ts";

/** Outlasts the 30 s in which Patroni, by default, replaces a failed primary. */
export const defaultPatience = 45_000;

/** Pipelined connections for statements that do not wait. */
const maxLanes = 4;
/** Connections for statements that wait for a lock, or take long. */
const maxWaitingLanes = 4;
/** Statements on a lane before another one is opened. */
const fewPending = 8;
/** How long a statement waits for a lock before it moves to a waiting lane. */
const shortLockMilliseconds = 100;
/** A statement is limited to this part of the silence after which its connection counts as dead. */
const statementShare = 0.75;

export interface PoolOptions {
  pg: Pg;
  address: ServerAddress;
  /** How long to retry before an error is reported. */
  patience: number;
}

export interface RunOptions {
  /** Statements of the same session keep their order. */
  session?: string;
  /** A lost answer leaves the outcome open. Must be safe to send twice. */
  writes?: boolean;
  /** Takes longer than a second, e.g. creating a session from a large import. */
  long?: boolean;
}

/** The lane of a session with pending statements. */
interface Seat {
  lane: Lane;
  pending: number;
}

/**
 * A few pipelined connections. A statement whose answer is lost is sent again, so it must be idempotent. A session
 * that is locked waits on a connection of its own; the others go on.
 */
export class Pool {
  readonly #options: PoolOptions;
  readonly #lanes: Lane[] = [];
  readonly #waitingLanes: Lane[] = [];
  readonly #seats = new Map<string, Seat>();
  /** Sessions that wait for a lock, with the number of their waiting statements. */
  readonly #locked = new Map<string, number>();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get patience(): number {
    return this.#options.patience;
  }

  /** A dead connection is found early enough to try another. */
  get #silence(): number {
    return Math.min(silenceMilliseconds, this.patience / 2);
  }

  async run<Row extends QueryResultRow>(statement: Statement, options: RunOptions = {}): Promise<Row[]> {
    const { session = "", writes = false } = options;
    const started = Date.now();
    const deadline = started + this.patience;
    let unlock: (() => void) | undefined;
    let doubt: unknown;
    try {
      for (let pause = 20; ; pause = Math.min(pause * 2, 1_000)) {
        if (this.#closed) throw closedError();
        const attempt = { sent: false };
        const waits = options.long || this.#locked.has(session);
        const lane = waits ? this.#pickWaiting() : this.#pick(session);
        try {
          const limits = waits ? () => this.#waitingLimits(deadline, options.long) : undefined;
          const leave = waits ? () => {} : this.#sit(session, lane);
          return await before(deadline, lane.send<Row>(statement, attempt, limits).finally(leave));
        } catch (error) {
          const failure = failureOf(error);
          if (failure === "lost" && attempt.sent && writes) doubt = error;
          if (failure === "final" || this.#closed || Date.now() + pause > deadline)
            throw doubt === undefined ? postgresError(error) : unknownOutcome(doubt, Date.now() - started);
          if (failure === "busy") unlock ??= this.#lock(session);
          if (failure === "moved" || failure === "crowded") lane.drop();
          if (failure === "unprepared") for (const each of this.#lanes) each.stopPreparing();
        }
        await new Promise((proceed) => setTimeout(proceed, pause));
      }
    } finally {
      unlock?.();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#lanes, ...this.#waitingLanes].map((lane) => lane.close()));
  }

  /** The lane that answers the session's pending statements, else one that is not stalled. */
  #pick(session: string): Lane {
    const seat = this.#seats.get(session);
    if (seat) return seat.lane;
    const moving = this.#lanes.filter(({ isStalled }) => !isStalled);
    const best = leastPending(moving);
    if (best && (best.pending < fewPending || this.#lanes.length >= maxLanes)) return best;
    if (this.#lanes.length < maxLanes) return this.#add(this.#lanes);
    return leastPending(this.#lanes) ?? this.#add(this.#lanes);
  }

  #pickWaiting(): Lane {
    const best = leastPending(this.#waitingLanes);
    if (best?.pending === 0 || this.#waitingLanes.length >= maxWaitingLanes)
      return best ?? this.#add(this.#waitingLanes);
    return this.#add(this.#waitingLanes);
  }

  #add(lanes: Lane[]): Lane {
    const { pg, address } = this.#options;
    const limits = {
      lockMilliseconds: shortLockMilliseconds,
      statementMilliseconds: this.#silence * statementShare,
    };
    const open = (onEnd: () => void) => openClient(pg, address, limits, { pipeline: true, onEnd });
    const lane = new Lane(open, limits, this.#silence);
    lanes.push(lane);
    return lane;
  }

  /** The server gives up first, so that the outcome is known. */
  #waitingLimits(deadline: number, long = false): ServerLimits {
    const left = Math.max(20, (deadline - Date.now()) * 0.8);
    const statementMilliseconds = long ? left : Math.min(this.#silence * statementShare, left);
    return { lockMilliseconds: statementMilliseconds * 0.9, statementMilliseconds };
  }

  #sit(session: string, lane: Lane): () => void {
    if (session === "") return () => {};
    const seat = this.#seats.get(session) ?? { lane, pending: 0 };
    seat.pending++;
    this.#seats.set(session, seat);
    return () => {
      if (--seat.pending === 0 && this.#seats.get(session) === seat) this.#seats.delete(session);
    };
  }

  /** Until the returned function is called, the session's statements use the waiting lanes. */
  #lock(session: string): () => void {
    this.#locked.set(session, (this.#locked.get(session) ?? 0) + 1);
    return () => {
      const rest = (this.#locked.get(session) ?? 1) - 1;
      if (rest > 0) this.#locked.set(session, rest);
      else this.#locked.delete(session);
    };
  }
}

function leastPending(lanes: readonly Lane[]): Lane | undefined {
  return lanes.reduce<Lane | undefined>(
    (best, lane) => (best && best.pending <= lane.pending ? best : lane),
    undefined,
  );
}

/** Rejects at the deadline. The statement may still be answered; nobody waits for it. */
async function before<T>(deadline: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" })),
      Math.max(0, deadline - Date.now()),
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function closedError(): HoldfastError {
  return new HoldfastError("store_closed", "The Postgres store was closed. Open the memory again.");
}
