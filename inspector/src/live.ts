import type { ChangeEvent } from "../../src/server/api.ts";
import { createStore, useStore } from "./store.ts";

/** locked: the server rejects this tab's token. */
export type Connection = "connecting" | "live" | "lost" | "locked";

export const connection = createStore<Connection>("connecting");

interface Activity {
  /** Incremented whenever everything must be reloaded. */
  generation: number;
  /** Newest known revision, by session. */
  revisions: ReadonlyMap<string, number>;
  /** Time of an agent's last write to each session, by this machine's clock. */
  written: ReadonlyMap<string, number>;
}

const activity = createStore<Activity>({ generation: 0, revisions: new Map(), written: new Map() });

/** An agent counts as at work for this long after it wrote, as on the server (milliseconds). */
const liveFor = 15_000;

export function recordChange({ sessionId, revision, entries }: ChangeEvent): void {
  const { generation, revisions, written } = activity.get();
  const isAgents = entries.some(({ actor }) => actor.kind === "agent" || actor.kind === "sub-session");
  activity.set({
    generation,
    revisions: new Map(revisions).set(sessionId, revision),
    written: isAgents ? new Map(written).set(sessionId, Date.now()) : written,
  });
}

export function reloadEverything(): void {
  activity.set({ ...activity.get(), generation: activity.get().generation + 1 });
}

/** Changes whenever the session may have changed. */
export function useFreshness(sessionId: string): string {
  return useStore(activity, ({ generation, revisions }) => `${generation}.${revisions.get(sessionId) ?? 0}`);
}

/** Changes whenever any session may have changed. */
export function useAnyFreshness(): Activity {
  return useStore(activity);
}

/** Marks sessions that a list reports as at work, like a change event would. */
export function markAtWork(ids: readonly string[]): void {
  const { written, ...rest } = activity.get();
  const newlyLive = ids.filter((id) => Date.now() - (written.get(id) ?? 0) > liveFor);
  if (newlyLive.length === 0) return;
  activity.set({
    ...rest,
    written: new Map([...written, ...newlyLive.map((id) => [id, Date.now()] as const)]),
  });
}

export function isAtWork(id: string, now: number): boolean {
  return now - (activity.get().written.get(id) ?? 0) < liveFor;
}
