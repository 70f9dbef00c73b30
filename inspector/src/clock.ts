import { createStore, useStore } from "./store.ts";

const now = createStore(Date.now());
const beat = 5_000;

setInterval(() => {
  if (document.visibilityState === "visible") now.set(Date.now());
}, beat);

/** The time, in steps of a few seconds. */
export function useNow(): number {
  return useStore(now);
}
