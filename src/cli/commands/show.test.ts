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

const facts = `Compaction 1
  4,200 → 10 tokens · verified in the request of call 7
  messages      6 messages removed, lost
  user's words  1 in context
  warning       not given: no agent
`;

test("show ends with the facts of the last compaction [people.receipts] [people.width]", async () => {
  const { code, stdout, stderr } = await run("audit-1");
  assert.equal(code, 0, stderr);
  assert.ok(
    stdout.includes(`\n\n${facts}  "holdfast show audit-1 --compaction 1" prints its handoff.\n`),
    stdout,
  );
  assert.doesNotMatch((await run("audit-1", "--revision", "2")).stdout, /Compaction/);
  assert.doesNotMatch((await run("fresh")).stdout, /Compaction/);
});

test("show --compaction prints the facts and the handoff as the agent got it [people.receipts] [people.width]", async () => {
  const { code, stdout, stderr } = await run("audit-1", "--compaction", "1");
  assert.equal(code, 0, stderr);
  assert.ok(stdout.startsWith(`${facts}\n[Handoff: the conversation before the compaction]\n`), stdout);
  assert.match(stdout, /\n- \$ npm run lint → FAILED, exit 1\n[\s\S]+\n\[End of handoff\]\n$/);
  const { stderr: refused, code: failed } = await run("audit-1", "--compaction", "3");
  assert.equal(failed, 1);
  assert.match(refused.replaceAll(/\s+/g, " "), /no compaction 3\. Its compactions with a receipt: 1\./);
});

test("--json has every fact of the last compaction [people.receipts] [people.json]", async () => {
  const { compaction } = JSON.parse((await run("audit-1", "--json")).stdout);
  const printed = JSON.parse((await run("audit-1", "--compaction", "1", "--json")).stdout);
  const { session, handoff, ...one } = printed;
  assert.deepEqual([session, one], ["audit-1", compaction]);
  assert.match(handoff, /^\[Handoff: /);
  assert.deepEqual([one.compaction, one.verified, one.messages, one.rest], [1, { call: 7 }, 6, "lost"]);
  assert.deepEqual(one.user, { whole: 1, cut: 0, leftOut: 0 });
});
