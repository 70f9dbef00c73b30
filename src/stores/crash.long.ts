import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { startPostgres } from "../../test/support/postgres.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { checkIntegrity } from "./test-support/check-integrity.ts";
import { type CrashPlan, crashRounds } from "./test-support/crash-rounds.ts";

/** Use HOLDFAST_KILLS=10000 before a release. */
const kills = Number(process.env.HOLDFAST_KILLS ?? 1_000);
const killsPerStore = 100;
const timeout = 60 * 60_000;

/** Starts a new store every 100 kills, so that checking it stays fast. */
async function killAll(
  context: TestContext,
  plan: () => Promise<Omit<CrashPlan, "kills" | "seed">>,
): Promise<void> {
  for (let killed = 0; killed < kills; killed += killsPerStore) {
    context.diagnostic(await crashRounds({ ...(await plan()), kills: killsPerStore, seed: killed + 1 }));
  }
}

test(`${kills} SQLite writers killed`, { timeout }, (context) =>
  killAll(context, async () => {
    const path = join(temporaryDirectory(), "memory.db");
    const inspect = () => checkIntegrity(path);
    return { store: path, inspect };
  }),
);

test(`${kills} Postgres writers killed`, { timeout }, async (context) => {
  const server = await startPostgres();
  after(() => server.stop());
  await killAll(context, async () => ({ store: await server.database() }));
});
