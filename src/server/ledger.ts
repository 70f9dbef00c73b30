import { HoldfastError } from "../errors.ts";
import type { Reply } from "./api.ts";
import type { Handlers, Workshop } from "./handlers.ts";

/** Where the controller's record of its model calls is read from. */
export interface LedgerReader {
  page(sessionId: string, selection: { before?: number | undefined; limit: number }): Promise<Reply<"calls">>;
  call(sessionId: string, number: number): Promise<Reply<"call"> | undefined>;
  piece(sessionId: string, hash: string): Promise<string | undefined>;
}

export function ledgerHandlers({ memory, ledger }: Workshop): Pick<Handlers, "calls" | "call" | "piece"> {
  return {
    async calls({ params: { id }, query }) {
      await memory.resumeSession(id);
      return ledger ? ledger.page(id, query) : { calls: [], total: 0, before: null };
    },
    async call({ params: { id, number } }) {
      await memory.resumeSession(id);
      const call = await ledger?.call(id, number);
      if (call) return call;
      throw new HoldfastError("not_found", `No model call ${number} is recorded for session ${id}.`);
    },
    async piece({ params: { id, hash } }) {
      await memory.resumeSession(id);
      const text = await ledger?.piece(id, hash);
      if (text !== undefined) return { hash, text };
      throw new HoldfastError("not_found", `No piece ${hash} is recorded for session ${id}.`);
    },
  };
}
