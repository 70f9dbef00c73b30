import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { contextIn, hookProcess, hookProject, inMemory } from "../../../test/support/hook.ts";

test("[hooks.concurrency] two hooks, a writing server and a person's edits lose nothing when they run at once", async () => {
  const project = await hookProject();
  const transcript_path = join(project.root, "t.jsonl");
  writeFileSync(transcript_path, '{"type":"user","uuid":"1","message":{"content":"Look at src/a.ts"}}\n');
  const event = { session_id: "s1", cwd: project.root, transcript_path };
  const call = (payload: object) =>
    hookProcess("claude-code", JSON.stringify({ ...event, ...payload }), { cwd: project.root });
  const write = (who: "agent" | "person", count: number) =>
    inMemory(project, async (memory) => {
      const session = await memory.openSession("claude-code.s1");
      for (let line = 0; line < count; line++)
        await session.notepad.append(`${who} ${line}`, { actor: { kind: who } });
    });
  const before = { hook_event_name: "PreCompact", trigger: "auto" };
  const compact = { hook_event_name: "SessionStart", source: "compact" };
  const outcomes = await Promise.all([
    write("agent", 40),
    write("person", 40),
    call(before),
    call(before),
    call(before).then(() => call(compact)),
    call(before).then(() => call(compact)),
  ]);
  for (const outcome of outcomes) if (outcome) assert.equal(outcome.code, 0, outcome.stderr);
  await inMemory(project, async (memory) => {
    const session = await memory.resumeSession("claude-code.s1");
    const lines = (await session.notepad.read()).split("\n");
    for (const who of ["agent", "person"]) {
      const own = lines.filter((line) => line.startsWith(who));
      assert.deepEqual(
        own,
        Array.from({ length: 40 }, (_, line) => `${who} ${line}`),
      );
    }
    const revisions = (await session.history({ newestFirst: false })).map(({ revision }) => revision);
    assert.deepEqual(
      revisions,
      revisions.map((_, index) => index + 1),
    );
    assert.ok((await session.receipts()).length >= 1);
  });
  const { stdout } = await call({ hook_event_name: "SessionStart", source: "startup" });
  assert.match(contextIn(stdout), /agent 39/);
});
