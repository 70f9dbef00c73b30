import { join } from "node:path";
import { after, test } from "node:test";
import { startPostgres } from "../../test/support/postgres.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { checkIntegrity } from "./test-support/check-integrity.ts";
import { crashRounds } from "./test-support/crash-rounds.ts";

/** `npm run test:long` kills a thousand. */
const kills = 8;

test("SQLite writers killed at any moment lose no acknowledged write [stores.crash]", async (context) => {
  const path = join(temporaryDirectory(), "memory.db");
  const inspect = () => checkIntegrity(path);
  context.diagnostic(await crashRounds({ store: path, kills, seed: 1, inspect }));
});

test("Postgres writers killed at any moment lose no acknowledged write [stores.crash]", async (context) => {
  const server = await startPostgres();
  after(() => server.stop());
  context.diagnostic(await crashRounds({ store: await server.database(), kills, seed: 3 }));
});
