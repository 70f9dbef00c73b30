import type { EntryAge } from "../../engine/retention.ts";
import type { Trimming } from "../trim.ts";
import type { Pool } from "./pool.ts";
import * as statements from "./statements.ts";

export function postgresTrimming({ run }: Pick<Pool, "run">): Trimming {
  return {
    isShared: true,
    oldest: (scope, limit) =>
      run<EntryAge & object>(statements.oldestEntries(scope, limit), { session: scope.sessionId }),
    async dropEntries(scope, before) {
      const statement = statements.dropEntries(scope, before);
      return (await run(statement, { session: scope.sessionId, writes: true })).length;
    },
    async dropCalls(scope, plan) {
      const statement = statements.dropCalls(scope, plan);
      const options = { session: scope.sessionId, writes: true };
      const [row] = await run<{ answer: boolean }>(statement, options);
      return row?.answer ?? false;
    },
    async size() {
      const [row] = await run<{ bytes: number }>(statements.storeSize);
      return row?.bytes;
    },
  };
}
