import type { Store } from "../../stores/store.ts";

export interface MortalStore {
  store: Store;
  /** Settles when the process that uses this store has died. */
  died: Promise<void>;
}

/**
 * Simulates a process that is killed: after `callsLeft` calls nothing returns any more. The last call may or may not
 * reach the disk.
 */
export function mortalStore(inner: Store, callsLeft: number, lastOneLands: boolean): MortalStore {
  const { promise: died, resolve: die } = Promise.withResolvers<void>();
  const forever = () => new Promise<never>(() => undefined);
  let left = callsLeft;
  const store = new Proxy(inner, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== "function" || name === "watch" || name === "close") return value;
      return (...args: unknown[]) => {
        if (left-- > 0) return Reflect.apply(value, target, args) as unknown;
        if (left === -1 && lastOneLands) Reflect.apply(value, target, args);
        die();
        return forever();
      };
    },
  });
  return { store, died };
}
