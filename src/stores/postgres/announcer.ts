import { createHash } from "node:crypto";
import type { Statement } from "./lane.ts";
import type { Pool } from "./pool.ts";

/** A session's newest revision. `createdAt` tells a session from a purged one with the same id. */
export interface Announcement {
  sessionId: string;
  revision: number;
  createdAt: number;
}

/** At most one announcement per process in this time: NOTIFY takes a lock that is shared by the whole server. */
const pauseMilliseconds = 50;

/** Sessions per payload, which may have 8,000 bytes. */
const batchSize = 40;

/** The channel of one owner. A hash, because every listener on the server can see the names of channels. */
export function channelOf(owner: string): string {
  return `holdfast_${createHash("sha256").update(owner).digest("hex").slice(0, 24)}`;
}

/** Announces commits after the fact, several at once. A lost announcement is found by the feed's heartbeat. */
export class Announcer {
  readonly #pool: Pool;
  readonly #pending = new Map<string, Map<string, Announcement>>();
  #isPausing = false;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  announce(owner: string, announcement: Announcement): void {
    const channel = channelOf(owner);
    const sessions = this.#pending.get(channel) ?? new Map<string, Announcement>();
    this.#pending.set(channel, sessions.set(announcement.sessionId, announcement));
    if (!this.#isPausing) this.#flush();
  }

  /** Sends what is pending; for a process that is about to end. */
  async end(): Promise<void> {
    await this.#send();
  }

  #flush(): void {
    this.#isPausing = true;
    this.#send().catch(() => undefined);
    setTimeout(() => {
      if (this.#pending.size > 0) this.#flush();
      else this.#isPausing = false;
    }, pauseMilliseconds).unref();
  }

  async #send(): Promise<void> {
    const channels: string[] = [];
    const payloads: string[] = [];
    for (const [channel, sessions] of this.#pending) {
      const all = [...sessions.values()];
      for (let from = 0; from < all.length; from += batchSize) {
        channels.push(channel);
        payloads.push(writePayload(all.slice(from, from + batchSize)));
      }
    }
    this.#pending.clear();
    if (channels.length > 0) await this.#pool.run(notify(channels, payloads));
  }
}

/** Not flushed to disk: an announcement is not data. */
export function notify(channels: readonly string[], payloads: readonly string[]): Statement {
  return {
    name: "holdfast_notify",
    text: `SELECT set_config('synchronous_commit', 'off', true), pg_notify(a.channel, a.payload)
      FROM unnest($1::text[], $2::text[]) AS a(channel, payload)`,
    values: [channels, payloads],
  };
}

function writePayload(announcements: readonly Announcement[]): string {
  return JSON.stringify(
    announcements.map(({ sessionId, revision, createdAt }) => [sessionId, revision, createdAt]),
  );
}

/** Any client can send to a channel, so validate the payload. */
export function readPayload(payload: string | undefined): Announcement[] {
  let given: unknown;
  try {
    given = JSON.parse(payload ?? "");
  } catch {
    return [];
  }
  return (Array.isArray(given) ? given : []).flatMap((each: unknown) => {
    const [sessionId, revision, createdAt] = Array.isArray(each) ? (each as unknown[]) : [];
    const isValid =
      typeof sessionId === "string" && Number.isSafeInteger(revision) && Number.isSafeInteger(createdAt);
    return isValid ? [{ sessionId, revision: revision as number, createdAt: createdAt as number }] : [];
  });
}
