import assert from "node:assert/strict";
import { existsSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hook, hookProject, inMemory } from "../../../test/support/hook.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { inTurn } from "./state.ts";

test("[hooks.in-turn] the second hook waits for the first, also if that fails", async () => {
  const file = join(temporaryDirectory(), "lock");
  const order: string[] = [];
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const first = inTurn(file, 10_000, async () => {
    begin();
    await released;
    order.push("first");
    throw new Error("failed");
  });
  await begun;
  const second = inTurn(file, 10_000, async () => void order.push("second"));
  release();
  await assert.rejects(first, /failed/);
  await second;
  assert.deepEqual(order, ["first", "second"]);
  assert.equal(existsSync(file), false);
});

test("[hooks.in-turn] a hook runs when its lock timeout is over, or if the file was left behind", async () => {
  const file = join(temporaryDirectory(), "lock");
  writeFileSync(file, "");
  let runs = 0;
  const count = async () => void runs++;
  await inTurn(file, 0, count);
  assert.ok(existsSync(file), "another hook's file stays");
  utimesSync(file, 0, 0);
  await inTurn(file, 10_000, count);
  assert.equal(existsSync(file), false);
  await inTurn(join(file, "no/such/folder"), 600_000, count);
  assert.equal(runs, 3, "no wait for a file that cannot be made");
});

test("[hooks.in-turn] in a new project, both hooks of the first conversation run at once, and one shows memory", {
  timeout: 30_000,
}, async () => {
  const project = await hookProject({ withMemory: false });
  // Three quarters of it is longer than this test may take.
  writeFileSync(join(project.root, "holdfast.json"), '{ "hookDeadline": 60000 }');
  const asked = { sessionId: "s1", prompt: "Hello." };
  const outcomes = await Promise.all(
    ["sessionStart", "userPromptSubmitted"].map((hook_event_name) =>
      hook(project, "copilot", { ...asked, hook_event_name, source: "new" }),
    ),
  );
  assert.deepEqual(
    outcomes.flatMap(({ failures }) => failures),
    [],
  );
  assert.equal(outcomes.filter(({ stdout }) => stdout.includes("## Session Notepad")).length, 1);
});

test("[hooks.in-turn] a resumed conversation is shown its compaction once, whichever of the two hooks comes first", async () => {
  for (const order of [
    ["sessionStart", "userPromptSubmitted"],
    ["userPromptSubmitted", "sessionStart"],
  ]) {
    const project = await hookProject();
    await inMemory(project, async (memory) => {
      await (await memory.openSession("copilot.s1")).notepad.write("cedar-4711");
    });
    const call = (hook_event_name: string, source: string) =>
      hook(project, "copilot", { sessionId: "s1", prompt: "Go on.", hook_event_name, source });
    await call("sessionStart", "new");
    await call("userPromptSubmitted", "");
    await call("preCompact", "");
    await call("agentStop", "");
    const shown: string[] = [];
    for (const event of order) shown.push((await call(event, "resume")).stdout);
    assert.equal(shown.filter((text) => text.includes("The conversation was compacted")).length, 1);
    assert.match(shown[0] ?? "", /cedar-4711/, "the first shows it");
  }
});
