import assert from "node:assert/strict";
import { test } from "node:test";
import { claudeTranscript } from "../src/hosts/hook/test-support/transcripts.ts";
import { projectSurface } from "../src/surfaces/project/index.ts";
import { decision, makeProject } from "../src/surfaces/project/test-support/project.ts";
import type { ScriptedRequest } from "../src/testing/index.ts";
import { filler, isSummaryRequest, ofType, openStage, plainSummary } from "./support/agent.ts";
import { hook, hookProject, inMemory } from "./support/hook.ts";

const start = "[Project memory from NOTES.md";

function textOf(request: ScriptedRequest | undefined): string {
  return (request?.messages ?? []).map(({ content }) => String(content ?? "")).join("\n");
}

test("after /clear a hook shows level 1 first behind the user's pins, and its decisions with their evidence [config.level-one]", async () => {
  const project = await hookProject();
  const notes = makeProject();
  await notes.call("log_decision", decision);
  const { cpSync } = await import("node:fs");
  cpSync(notes.root, project.root, { recursive: true });
  await inMemory(project, async (memory) => {
    const session = await memory.openSession("claude-code.s");
    await session.notepad.write("kept in the notepad");
    await session.pins.pin("Never push to main.");
  });
  const { context } = await hook(project, "claude-code", {
    session_id: "s",
    hook_event_name: "SessionStart",
    source: "clear",
  });
  const order = [
    "Never push to main.",
    start,
    "- Use sliding window expiration [$" + "{PROJECT_ROOT}/src/auth/jwt.ts:3]",
    "kept in the notepad",
  ];
  const positions = order.map((text) => context.indexOf(text));
  assert.ok(!positions.includes(-1), context);
  assert.deepEqual(
    positions,
    positions.toSorted((a, b) => a - b),
    context,
  );
});

test("after /clear a chat has level 1 before its other memory, with evidence [config.level-one]", async (t) => {
  const { root, call } = makeProject();
  await call("log_decision", decision);
  const stage = await openStage(t, {
    script: () => ({ text: "Done." }),
    surfaces: ["notepad", "notes", projectSurface({ root })],
  });
  const session = await stage.session();
  await session.notepad.write("kept in the notepad");
  await stage.say("First.");
  const text = textOf(stage.server.requests[0]);
  assert.ok(text.indexOf(start) < text.indexOf("## Session Notepad"), text);
  assert.match(text, /- Use sliding window expiration \[\$\{PROJECT_ROOT\}\/src\/auth\/jwt\.ts:3\]/);
});

test("after a compaction the block of NOTES.md is in the prompt once, although the compaction writes to it [config.once]", async (t) => {
  const { root, read } = makeProject();
  const stage = await openStage(t, {
    script: (request) =>
      isSummaryRequest(request) ? { text: plainSummary(request) } : { text: `Done. ${filler(1_500)}` },
    surfaces: ["notepad", projectSurface({ root })],
    contextWindow: 16_000,
  });
  let compactions = 0;
  for (let turn = 1; turn <= 14; turn++) {
    const { events } = await stage.say(`Turn ${turn}. ${filler(500)}`);
    compactions += ofType(events, "compaction").length;
  }
  assert.ok(compactions > 1);
  assert.match(read(), /\| Compaction: /);
  const afterwards = stage.turns().filter((request) => textOf(request).includes("[Receipt:"));
  assert.ok(afterwards.length > 1);
  for (const request of afterwards) assert.equal(textOf(request).split(start).length - 1, 1);
});

test("a hook shows the block of NOTES.md once after a compaction [config.once]", async () => {
  const project = await hookProject();
  const notes = makeProject();
  const { cpSync } = await import("node:fs");
  cpSync(notes.root, project.root, { recursive: true });
  const event = { session_id: "s", transcript_path: claudeTranscript(project) };
  const send = (hook_event_name: string, more = {}) =>
    hook(project, "claude-code", { ...event, hook_event_name, ...more });
  await send("SessionStart", { source: "startup" });
  await send("PreCompact", { trigger: "auto" });
  const { context } = await send("SessionStart", { source: "compact" });
  assert.equal(context.split(start).length - 1, 1);
  assert.ok(!(await send("UserPromptSubmit")).context.includes(start), "not again with the next prompt");
});
