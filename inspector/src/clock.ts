import { createStore, useStore } from "./store.ts";

const now = createStore(Date.now());
const tick = 5_000;

setInterval(() => {
  if (document.visibilityState === "visible") now.set(Date.now());
}, tick);

/** The current time, updated every few seconds. */
export function useNow(): number {
  return useStore(now);
}
