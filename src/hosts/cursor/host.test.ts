import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hook, hookProject, inMemory } from "../../../test/support/hook.ts";

test("Cursor, as documented: memory at the start, and after a compaction with the next tool [hooks.cursor]", async () => {
  const project = await hookProject();
  const transcript_path = join(project.root, "transcript.jsonl");
  const line = (role: string, text: string) =>
    `${JSON.stringify({ role, message: { content: [{ type: "text", text }] } })}\n`;
  writeFileSync(
    transcript_path,
    line("user", "<user_query>\nAudit src/ledger.ts, please.\n</user_query>") + line("assistant", "I will."),
  );
  const send = async (hook_event_name: string) => {
    const base = { conversation_id: "c1", workspace_roots: [project.root], transcript_path };
    return JSON.parse((await hook(project, "cursor", { ...base, hook_event_name })).stdout);
  };
  await inMemory(project, async (memory) => {
    await (await memory.openSession("cursor.c1")).notepad.write("cedar-4711");
  });
  assert.match((await send("sessionStart")).additional_context, /## Session Notepad\ncedar-4711/);
  assert.deepEqual(await send("beforeSubmitPrompt"), { continue: true });
  assert.deepEqual(await send("postToolUse"), {});
  assert.deepEqual(await send("preCompact"), {});
  const { additional_context: text } = await send("postToolUse");
  assert.match(text, /compacted[\s\S]*cedar-4711[\s\S]*\[Handoff[\s\S]*src\/ledger\.ts/);
  assert.match(text, /\[Receipt: /);
  assert.deepEqual(await send("postToolUse"), {}, "shown once");
});
