import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hook, hookProject } from "../../../test/support/hook.ts";

const words = [
  "Use tabs, never spaces.",
  "请不要修改税务代码",
  "Zürich first,\nthen Genf.",
  "continue",
  "لا تحذف الملفات",
  "🪸 reef = 42",
];

test("[handoff.words] the user's words are in the context of a hook's host after 1, 3 and 10 compactions", async () => {
  const project = await hookProject();
  const transcript_path = join(project.root, "transcript.jsonl");
  writeFileSync(transcript_path, "");
  let number = 0;
  const line = (value: object) =>
    appendFileSync(transcript_path, `${JSON.stringify({ uuid: `u${number++}`, ...value })}\n`);
  const say = (type: string, content: unknown) => line({ type, message: { role: type, content } });
  const send = (hook_event_name: string, more: object) =>
    hook(project, "claude-code", { session_id: "s1", transcript_path, hook_event_name, ...more });
  await send("SessionStart", { source: "startup" });
  const said: string[] = [];
  for (let compaction = 1; compaction <= 10; compaction++) {
    const text = `${words[compaction % words.length]} (${compaction})`;
    said.push(text);
    say("user", text);
    for (let step = 0; step < 30; step++) {
      say("assistant", [
        { type: "tool_use", id: `c${number}`, name: "Bash", input: { command: `make part-${number}` } },
      ]);
      say("user", [
        { type: "tool_result", tool_use_id: `c${number - 1}`, content: `made ${"much of it ".repeat(30)}` },
      ]);
    }
    say("assistant", `Part ${compaction} is done.`);
    await send("PreCompact", { trigger: "auto" });
    line({ type: "system", subtype: "compact_boundary" });
    line({ type: "user", isCompactSummary: true, message: { role: "user", content: "A summary." } });
    const { context } = await send("SessionStart", { source: "compact" });
    if (![1, 3, 10].includes(compaction)) continue;
    for (const each of said)
      assert.ok(context.includes(`- ${each}\n`), `${compaction}: ${each}\nis not in\n${context}`);
    assert.match(context, new RegExp(`In context: ${said.length} user messages?\\. Rest: recall\\]`));
    for (let part = 1; part <= compaction; part++)
      assert.ok(context.includes(`You: Part ${part} is done.`), `part ${part} in\n${context}`);
  }
});
