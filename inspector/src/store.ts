import { useEffect, useState } from "preact/hooks";

/** A value that components can follow. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  subscribe(hear: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let current = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return;
      current = value;
      for (const hear of [...listeners]) hear();
    },
    subscribe(hear) {
      listeners.add(hear);
      return () => listeners.delete(hear);
    },
  };
}

/** The part of a store that `pick` takes; the component is drawn again only when that part changes. */
export function useStore<T, P = T>(store: Store<T>, pick: (value: T) => P = (value) => value as never): P {
  const picked = pick(store.get());
  const [, draw] = useState<unknown>(picked);
  useEffect(() => {
    const hear = () => draw(() => pick(store.get()));
    hear();
    return store.subscribe(hear);
  });
  return picked;
}
