import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openTestMemory } from "../../../test/support/memory.ts";
import { hasPgBouncer, startPgBouncer } from "../../../test/support/pgbouncer.ts";
import { startPostgres } from "../../../test/support/postgres.ts";
import { storeContract } from "../../testing/store-contract.ts";
import { writeTogether } from "../test-support/write-together.ts";
import { postgresStore } from "./postgres.ts";

const skip = hasPgBouncer() ? false : "pgbouncer is not installed";
const server = skip ? undefined : await startPostgres();
const bouncer = server && (await startPgBouncer(server.url));
after(async () => {
  await bouncer?.stop();
  await server?.stop();
});

const through = (url: string) => url.replace(/:\d+\//, `:${bouncer?.port}/`);

for (const { name, run } of storeContract)
  test(`through PgBouncer in transaction mode: ${name}`, { skip, timeout: 60_000 }, async () => {
    const direct = (await server?.database()) ?? "";
    let lockTimeout = 45_000;
    const url = `${through(direct)}?listen=${encodeURIComponent(direct)}`;
    await run({ open: () => postgresStore({ url, lockTimeout: lockTimeout++ }), durable: true });
  });

test("a pooler that the URL does not mention is found out", { skip, timeout: 60_000 }, async (context) => {
  const direct = (await server?.database()) ?? "";
  const warnings: string[] = [];
  const memory = await openTestMemory({
    store: through(direct),
    onWarning: (warning) => warnings.push(warning),
  });
  context.after(() => memory.close());
  const session = await memory.createSession({ id: "a" });
  for (let count = 0; count < 20; count++) await session.notes.add(`note ${count}`, []);
  // Another process changes the session; this one is deaf to announcements, warns, and finds it anyway.
  const { promise: noticed, resolve } = Promise.withResolvers<void>();
  await session.watch(() => resolve());
  assert.match(warnings.join(), /LISTEN does not work .*pooler in transaction mode.*\?listen=URL/);
  const other = await openTestMemory({ store: direct });
  context.after(() => other.close());
  await (await other.resumeSession("a")).notepad.append("from elsewhere");
  await noticed;
  // No setting of ours is left on the pooler's connections.
  const store = await postgresStore({ url: through(direct) });
  await store.close();
});

test("eight processes × 100 operations on one session through PgBouncer", {
  skip,
  timeout: 180_000,
}, async (context) => {
  const direct = (await server?.database()) ?? "";
  context.diagnostic(await writeTogether(through(direct), 100));
});
