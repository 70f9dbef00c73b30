import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { compactedStory } from "../../../test/support/compacted-story.ts";
import { openTestMemory } from "../../../test/support/memory.ts";
import { holdfastWith } from "../../../test/support/people.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";

const store = { HOLDFAST_DB: join(temporaryDirectory(), "memory.db"), COLUMNS: "80" };

before(async () => {
  const memory = await openTestMemory({ store: store.HOLDFAST_DB, surfaces: ["notepad", "notes"] });
  await memory.createSession({ id: "fresh" });
  const session = await compactedStory(memory, "audit-1");
  await session.apply({ type: "context.verify", epoch: 1, call: 7, lacks: [] });
  await memory.close();
});

const run = (...args: string[]) => holdfastWith(store, "show", ...args);

const counts = `Compaction 1
  messages 1 to 6 · 4,200 → 10 tokens · verified in the request of call 7
  likely needed     in context  one call away  by search  lost
  commands                   ·              ·          ·     1
  files                      1              ·          ·     ·
  names 1–3                  ·              ·          ·     3
`;

test("show ends with what the last compaction left, by kind and place [people.receipts] [people.width]", async () => {
  const { code, stdout, stderr } = await run("audit-1");
  assert.equal(code, 0, stderr);
  assert.ok(
    stdout.includes(`\n\n${counts}  "holdfast show audit-1 --compaction 1" lists what is out of sight.\n`),
    stdout,
  );
  assert.doesNotMatch((await run("audit-1", "--revision", "2")).stdout, /Compaction/);
  assert.doesNotMatch((await run("fresh")).stdout, /Compaction/);
});

test("show --compaction shows one receipt whole, most needed first [people.receipts] [people.width]", async () => {
  const { code, stdout, stderr } = await run("audit-1", "--compaction", "1");
  assert.equal(code, 0, stderr);
  assert.equal(
    stdout,
    `${counts}
Out of sight, most needed first
  command  npm run lint  (lost)
  name     TKT-4711  (lost)
  name     https://example.org/tabs  (lost)
  name     docs/tabs.md  (lost)
`,
  );
  const { stderr: refused, code: failed } = await run("audit-1", "--compaction", "3");
  assert.equal(failed, 1);
  assert.match(refused.replaceAll(/\s+/g, " "), /no compaction 3\. Its compactions with a receipt: 1\./);
});

test("--json has every count and item of the last compaction [people.receipts] [people.json]", async () => {
  const { compaction } = JSON.parse((await run("audit-1", "--json")).stdout);
  const { session, ...one } = JSON.parse((await run("audit-1", "--compaction", "1", "--json")).stdout);
  assert.deepEqual([session, one], ["audit-1", compaction]);
  assert.deepEqual([one.compaction, one.verified, one.outOfSight.length], [1, { call: 7 }, 4]);
  assert.deepEqual(one.needs[0], {
    label: "commands",
    total: 1,
    places: { "in context": 0, "one call": 0, "by search": 0, lost: 1 },
  });
});
