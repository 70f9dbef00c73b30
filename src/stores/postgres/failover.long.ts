import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openTestMemory } from "../../../test/support/memory.ts";
import { askPostgres, startReplicatedPostgres } from "../../../test/support/postgres.ts";
import { startProxy } from "./test-support/proxy.ts";

const writers = 16;

test("a synchronous standby that is promoted under load: nothing lost, nothing twice", {
  timeout: 180_000,
}, async (context) => {
  const { primary, standby } = await startReplicatedPostgres();
  const address = await startProxy(Number(new URL(primary.url).port));
  after(async () => {
    await address.close();
    await primary.stop();
    await standby.stop();
  });
  const memory = await openTestMemory({
    store: `postgres://postgres:holdfast@127.0.0.1:${address.port}/postgres`,
  });
  context.after(() => memory.close());
  const sessions = await Promise.all(
    Array.from({ length: writers }, (_, index) => memory.createSession({ id: `s${index}` })),
  );
  const acknowledged = new Map<string, string[]>(sessions.map(({ id }) => [id, []]));
  let isOver = false;
  let isPromoted = false;
  let total = 0;
  let firstAfter = 0;
  let wake = () => {};
  const writing = Promise.all(
    sessions.map(async (session) => {
      for (let number = 0; !isOver; number++) {
        const content = `${session.id} note ${number}`;
        await session.notes.add(content, []);
        acknowledged.get(session.id)?.push(content);
        total++;
        if (isPromoted) firstAfter ||= performance.now();
        wake();
      }
    }),
  );
  const until = async (count: number) => {
    while (total < count) await new Promise<void>((proceed) => (wake = proceed));
  };
  await until(300);
  await primary.crash();
  const down = performance.now();
  await askPostgres(`${standby.url}/postgres`, "SELECT pg_promote()");
  const promoted = performance.now();
  address.moveTo(Number(new URL(standby.url).port));
  isPromoted = true;
  const before = total;
  await until(before + 300);
  isOver = true;
  await writing;
  context.diagnostic(
    `${total} notes; promoted ${(promoted - down).toFixed(0)} ms after the crash, first write ${(firstAfter - promoted).toFixed(0)} ms later`,
  );
  for (const session of sessions) {
    const stored = (await session.notes.all()).map(({ content }) => content);
    assert.deepEqual(stored.toSorted(), acknowledged.get(session.id)?.toSorted(), "lost or twice");
    const revisions = (await session.history({ newestFirst: false })).map(({ revision }) => revision);
    assert.deepEqual(
      revisions,
      revisions.map((_, index) => index + 1),
    );
  }
});
