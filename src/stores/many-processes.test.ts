import { join } from "node:path";
import { after, test } from "node:test";
import { startPostgres } from "../../test/support/postgres.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { writeTogether } from "./test-support/write-together.ts";

test("eight processes with 250 operations each on one SQLite session: all stored, in one order, no busy error [stores.many-processes] [notes.ids]", async (context) => {
  context.diagnostic(await writeTogether(join(temporaryDirectory(), "memory.db"), 250));
});

test("the same on one Postgres session [stores.many-processes]", async (context) => {
  const server = await startPostgres();
  after(() => server.stop());
  context.diagnostic(await writeTogether(await server.database(), 100));
});

test("frozen clocks, or clocks years apart, affect neither order nor ids across processes [journal.order]", async (context) => {
  const years = 10 * 365 * 24 * 3_600_000;
  const clocks = [0, years, -years, "frozen", 0, -1, years, "frozen"] as const;
  context.diagnostic(
    await writeTogether(join(temporaryDirectory(), "memory.db"), 25, { clocks: [...clocks] }),
  );
});
