import { useEffect, useState } from "preact/hooks";

/** A value that components can subscribe to. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let current = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return;
      current = value;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The part of a store that `pick` selects; the component renders again only when that part changes. */
export function useStore<T, P = T>(store: Store<T>, pick: (value: T) => P = (value) => value as never): P {
  const picked = pick(store.get());
  const [, draw] = useState<unknown>(picked);
  useEffect(() => {
    const update = () => draw(() => pick(store.get()));
    update();
    return store.subscribe(update);
  });
  return picked;
}

const now = createStore(Date.now());
const tick = 5_000;

setInterval(() => {
  if (document.visibilityState === "visible") now.set(Date.now());
}, tick);

/** The current time, updated every few seconds. */
export function useNow(): number {
  return useStore(now);
}

/** Transcripts of coding agents grow without an event (milliseconds). */
const beat = 15_000;

/** Changes every few seconds if what is shown is read from a transcript. */
export function useBeat(isHosted: boolean): number {
  return Math.floor(useNow() / beat) * Number(isHosted);
}
