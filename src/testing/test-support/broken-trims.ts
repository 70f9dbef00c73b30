import type { Store } from "../../stores/store.ts";
import type { Trimming } from "../../stores/trim.ts";
import type { BrokenStore } from "./broken-stores.ts";

const oldestGo = "drops the oldest journal entries and keeps the state, the later entries and their keys";
const forksRead = "keeps the versions that a fork reads when it drops journal entries";
const callsGo =
  "drops model calls with the pieces that no other call contains, unless one was recorded meanwhile";

function trimmingOf(store: Store): Trimming {
  if (!store.trimming) throw new Error("this store has no retention to break");
  return store.trimming;
}

/** Stores whose retention removes too much, or too little. */
export const brokenTrims: BrokenStore[] = [
  {
    fault: "one entry too many is dropped",
    caughtBy: oldestGo,
    breakIt: (store) => ({
      trimming: {
        ...trimmingOf(store),
        dropEntries: (scope, before) => trimmingOf(store).dropEntries(scope, before + 1),
      },
    }),
  },
  {
    fault: "the versions that a fork reads go with the entries",
    caughtBy: forksRead,
    breakIt(store) {
      let hasDropped = false;
      return {
        trimming: {
          ...trimmingOf(store),
          dropEntries(scope, before) {
            hasDropped = true;
            return trimmingOf(store).dropEntries(scope, before);
          },
        },
        records: async (scope, selection) =>
          hasDropped && selection.at !== undefined ? [] : store.records(scope, selection),
      };
    },
  },
  {
    fault: "pieces that no call contains stay",
    caughtBy: callsGo,
    breakIt: (store) => ({
      trimming: {
        ...trimmingOf(store),
        dropCalls: (scope, plan) => trimmingOf(store).dropCalls(scope, { ...plan, unused: [] }),
      },
    }),
  },
  {
    fault: "calls are dropped although another was recorded since",
    caughtBy: callsGo,
    breakIt: (store) => ({
      trimming: {
        ...trimmingOf(store),
        async dropCalls(scope, plan) {
          const newest = (await store.ledger?.calls(scope, {}))?.at(-1)?.number ?? plan.last;
          return trimmingOf(store).dropCalls(scope, { ...plan, last: newest });
        },
      },
    }),
  },
];
