import type { Ledger } from "../../stores/ledger.ts";
import type { Store } from "../../stores/store.ts";
import type { BrokenStore } from "./broken-stores.ts";

const inOrder = "keeps the prompts of model calls, each piece once, in the order of the calls";
const addsCopies =
  "adds copied model calls under their own numbers, and keeps the calls and pieces that are there";
const isPrivate = "keeps each session's ledger to its owner, and purges it with the session";

function ledgerOf(store: Store): Ledger {
  if (!store.ledger) throw new Error("this store has no ledger to break");
  return store.ledger;
}

/** Stores whose ledger keeps or returns the wrong thing. */
export const brokenLedgers: BrokenStore[] = [
  {
    fault: "the ledger forgets its pieces",
    caughtBy: inOrder,
    breakIt: (store) => ({ ledger: { ...ledgerOf(store), pieces: async () => new Map() } }),
  },
  {
    fault: "the ledger ignores the selection of calls",
    caughtBy: inOrder,
    breakIt: (store) => ({
      ledger: { ...ledgerOf(store), calls: (scope) => ledgerOf(store).calls(scope, {}) },
    }),
  },
  {
    fault: "the ledger adds no copied call if one of them is there",
    caughtBy: addsCopies,
    breakIt: (store) => ({
      ledger: {
        ...ledgerOf(store),
        restore: async (scope, calls, pieces) => {
          const present = await ledgerOf(store).calls(scope, {});
          if (present.length === 0) await ledgerOf(store).restore(scope, calls, pieces);
        },
      },
    }),
  },
  {
    fault: "the ledger shows one owner's calls to another",
    caughtBy: isPrivate,
    breakIt: (store) => ({
      ledger: {
        ...ledgerOf(store),
        calls: (scope, selection) => ledgerOf(store).calls({ ...scope, owner: "owner" }, selection),
      },
    }),
  },
];
