import type { ChangeEvent } from "../../src/server/api.ts";
import { createStore, useStore } from "./store.ts";

/** locked: the server asks for a token that this tab does not have. */
export type Connection = "connecting" | "live" | "lost" | "locked";

export const connection = createStore<Connection>("connecting");

interface Heard {
  /** One more each time that everything has to be loaded anew. */
  generation: number;
  /** Newest revision heard of, by session. */
  revisions: ReadonlyMap<string, number>;
  /** When a session was last written to, by this machine's clock. */
  written: ReadonlyMap<string, number>;
}

const heard = createStore<Heard>({ generation: 0, revisions: new Map(), written: new Map() });

/** So long after a commit a session counts as being worked on; the server says the same. */
const writingFor = 15_000;

export function hearChange({ sessionId, revision }: ChangeEvent): void {
  const { generation, revisions, written } = heard.get();
  heard.set({
    generation,
    revisions: new Map(revisions).set(sessionId, revision),
    written: new Map(written).set(sessionId, Date.now()),
  });
}

export function startAnew(): void {
  heard.set({ ...heard.get(), generation: heard.get().generation + 1 });
}

/** Changes whenever the session may have changed. */
export function useFreshness(sessionId: string): string {
  return useStore(heard, ({ generation, revisions }) => `${generation}.${revisions.get(sessionId) ?? 0}`);
}

/** Changes whenever any session may have changed. */
export function useAnyFreshness(): Heard {
  return useStore(heard);
}

/** What a list says of a session counts for a while, as news does. */
export function noteWriting(ids: readonly string[]): void {
  const { written, ...rest } = heard.get();
  const fresh = ids.filter((id) => Date.now() - (written.get(id) ?? 0) > writingFor);
  if (fresh.length === 0) return;
  heard.set({ ...rest, written: new Map([...written, ...fresh.map((id) => [id, Date.now()] as const)]) });
}

export function isWriting(id: string, now: number): boolean {
  return now - (heard.get().written.get(id) ?? 0) < writingFor;
}
