import { join } from "node:path";
import { after, test } from "node:test";
import { startPostgres } from "../../test/support/postgres.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { writeTogether } from "./test-support/write-together.ts";

/** Most operations add notes, because a notepad of ten thousand lines is unrealistic. */
const options = { appendEvery: 20 };
const timeout = 20 * 60_000;

test("eight processes × 10,000 operations on one SQLite session", { timeout }, async (context) => {
  context.diagnostic(await writeTogether(join(temporaryDirectory(), "memory.db"), 10_000, options));
});

test("eight processes × 10,000 operations on one Postgres session", { timeout }, async (context) => {
  const server = await startPostgres();
  after(() => server.stop());
  context.diagnostic(await writeTogether(await server.database(), 10_000, options));
});
