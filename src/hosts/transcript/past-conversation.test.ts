import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hook, hookProject, inMemory } from "../../../test/support/hook.ts";
import { openMemory } from "../../index.ts";
import { hostConversation } from "./past-conversation.ts";

test("recall searches the transcripts of a session and of those that continue it, and nothing else [recall.hosts]", async () => {
  const project = await hookProject();
  const transcript = (name: string) => join(project.root, `${name}.jsonl`);
  let number = 0;
  const line = (type: string, content: string) =>
    `${JSON.stringify({ type, uuid: `u${number++}`, timestamp: "2026-11-18T10:00:00Z", message: { role: type, content } })}\n`;
  const boundary = `${JSON.stringify({ type: "system", subtype: "compact_boundary", uuid: "b" })}\n`;
  writeFileSync(transcript("one"), line("user", "The harbor code is 8443.") + line("assistant", "Noted."));
  writeFileSync(transcript("two"), line("user", "The harbor code of a stranger is 9999."));
  writeFileSync(transcript("three"), line("user", "The harbor master is Ada."));
  const send = (session_id: string, name: string, event: object) =>
    hook(project, "claude-code", { session_id, transcript_path: transcript(name), ...event });
  await send("s1", "one", { hook_event_name: "SessionStart", source: "startup" });
  await inMemory(project, async (memory) => (await memory.openSession("claude-code.s1")).notepad.write("x"));
  await send("s2", "two", { hook_event_name: "SessionStart", source: "startup" });
  await send("s1", "one", { hook_event_name: "PreCompact", trigger: "auto" });
  appendFileSync(transcript("one"), boundary + line("user", "The harbor is in context now."));
  await send("s1", "one", { hook_event_name: "SessionStart", source: "compact" });

  const memory = await openMemory({ store: project.database, surfaces: ["recall"] });
  const session = await memory.resumeSession("claude-code.s1");
  const conversation = hostConversation(project.directory);
  const recall = async () => (await session.call("recall", { query: "harbor code" }, { conversation })).text;
  const found = await recall();
  assert.match(found, /^\[1\.1\] user, 2026-11-18 10:00 UTC\nThe harbor code is 8443\.\n/);
  assert.doesNotMatch(found, /stranger|in context now/);

  // After /clear the host has another session, which continues this memory.
  await send("s1", "one", { hook_event_name: "SessionEnd", reason: "clear" });
  await send("s3", "three", { hook_event_name: "SessionStart", source: "clear" });
  const later = await recall();
  assert.match(later, /The harbor code is 8443\./);
  assert.doesNotMatch(later, /stranger/);

  const own = await memory.createSession({ id: "ses_own" });
  const none = await own.call("recall", { query: "harbor" }, { conversation });
  assert.match(none.text, /^This session has no conversation to search\.$/, "no link, nothing to read");
  await memory.close();
});
