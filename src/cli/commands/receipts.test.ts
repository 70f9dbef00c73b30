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

const run = (...args: string[]) => holdfastWith(store, "receipts", ...args);

test("receipts shows counts by kind and place, and what is lost, most needed first [people.receipts] [people.width]", async () => {
  const { code, stdout, stderr } = await run("audit-1");
  assert.equal(code, 0, stderr);
  assert.equal(
    stdout,
    `Compaction 1
  messages 1 to 6 · 4,200 → 10 tokens · verified in the request of call 7
  likely needed     in context  one call away  by search  lost
  commands                   ·              ·          ·     1
  files                      1              ·          ·     ·
  names 1–3                  ·              ·          ·     3

Out of sight, most needed first
  1  command  npm run lint  (lost)
  2  name     TKT-4711  (lost)
  3  name     https://example.org/tabs  (lost)
  4  name     docs/tabs.md  (lost)

"holdfast receipts audit-1 --put-back N" writes one of them into the notepad.
`,
  );
  assert.match((await run("fresh")).stdout, /^Session fresh has not been compacted yet\.$/m);
});

test("--put-back writes an item into the notepad or a note, and undo takes it out again [people.receipts-put-back]", async () => {
  const back = await run("audit-1", "--put-back", "1");
  assert.match(
    back.stdout,
    /^Put back into the notepad of audit-1: npm run lint \(command, put back after compaction 1\)$/m,
  );
  const [, revision = ""] = /--revision (\d+)" takes it out/.exec(back.stdout) ?? [];
  assert.match((await holdfastWith(store, "show", "audit-1")).stdout, /• npm run lint \(command, put back/);
  assert.match((await run("audit-1", "--put-back", "1")).stderr, /already has/);
  assert.equal((await holdfastWith(store, "undo", "audit-1", "--revision", revision)).code, 0);
  assert.doesNotMatch((await holdfastWith(store, "show", "audit-1")).stdout, /npm run lint/);
  const note = await run("audit-1", "--put-back", "4", "--into", "note", "--json");
  assert.deepEqual([JSON.parse(note.stdout).into, note.code], ["note", 0]);
  assert.match((await holdfastWith(store, "show", "audit-1")).stdout, /#put-back[\s\S]*docs\/tabs\.md/);
});

test("--json has every count and item; a wrong number or place is refused with what to do [people.receipts] [people.json]", async () => {
  const { stdout } = await run("audit-1", "--json");
  const [first] = JSON.parse(stdout).compactions;
  assert.deepEqual([first.compaction, first.verified, first.outOfSight.length], [1, { call: 7 }, 4]);
  assert.deepEqual(first.needs[0], {
    label: "commands",
    total: 1,
    places: { "in context": 0, "one call": 0, "by search": 0, lost: 1 },
  });
  for (const [args, message] of [
    [["--put-back", "9"], /There is no item 9\. .* numbers them from 1 to 4/],
    [["--put-back", "1", "--into", "diary"], /--into must be notepad or note \(got "diary"\)/],
    [["--compaction", "3"], /no compaction 3\. Its compactions with a receipt: 1\./],
  ] as const) {
    const { code, stderr } = await run("audit-1", ...args);
    assert.equal(code, 1);
    assert.match(stderr.replaceAll(/\s+/g, " "), message);
  }
  assert.match((await run("fresh", "--put-back", "1")).stderr, /Nothing is out of sight in session fresh/);
});
