import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type HookProject, hook, hookProject, inMemory } from "../../../test/support/hook.ts";
import type { Pins } from "../../surfaces/pins/handle.ts";
import { bytesOf, maxInjected } from "./memory-text.ts";

type Line = [role: "user" | "assistant", text: string];

function writeTranscript(project: HookProject, lines: readonly Line[]): string {
  const path = join(project.root, "transcript.jsonl");
  const text = lines.map(([role, content], index) =>
    JSON.stringify({ type: role, uuid: String(index), sessionId: "s1", message: { role, content } }),
  );
  writeFileSync(path, `${text.join("\n")}\n`);
  return path;
}

async function compact(project: HookProject, lines: readonly Line[], host = "claude-code"): Promise<string> {
  const event = { session_id: "s1", transcript_path: writeTranscript(project, lines) };
  await hook(project, host, { ...event, hook_event_name: "PreCompact", trigger: "auto" });
  const { context } = await hook(project, host, {
    ...event,
    hook_event_name: "SessionStart",
    source: "compact",
  });
  return context;
}

async function pinInStore(project: HookProject, session: string, text: string): Promise<void> {
  await inMemory(project, async (memory) => {
    await (await memory.openSession(session)).pins.pin(text, { actor: { kind: "person" } });
  });
}

const filler: Line[] = Array.from({ length: 20 }, (_, index): Line[] => [
  ["user", `Now look at src/file-${index}.ts and fix the failing test.`],
  ["assistant", `Fixed src/file-${index}.ts.`],
]).flat();

test("pins come first and whole, however full the rest of memory is [pins.hosts] [pins.verbatim]", async () => {
  const project = await hookProject();
  await hook(project, "claude-code", {
    session_id: "s1",
    hook_event_name: "SessionStart",
    source: "startup",
  });
  const long = Array.from({ length: 25 }, (_, index) => `Never do thing number ${index}: ${"x".repeat(80)}`);
  for (const text of long) await pinInStore(project, "claude-code.s1", text);
  await inMemory(project, async (memory) => {
    const session = await memory.openSession("claude-code.s1");
    await session.notepad.write("note\n".repeat(6_000));
    await session.scratchpad.setPlan("plan\n".repeat(390));
  });
  const context = await compact(project, filler);
  const [lead = "", pins = "", rest = ""] = context.split("\n\n");
  assert.match(lead, /^\[Holdfast\] The conversation was compacted/);
  for (const text of long) assert.ok(pins.includes(text), text);
  assert.match(rest, /^## Session Notepad/);
  assert.ok(bytesOf(context) <= maxInjected, `${bytesOf(context)} bytes`);
  const resumed = await hook(project, "claude-code", {
    session_id: "s1",
    hook_event_name: "SessionStart",
    source: "clear",
  });
  assert.match(resumed.context, /\n\n\[Pins: /);
});

test("a rule that the user pins for the project is news in an open conversation and shown in the next one [pins.project]", async () => {
  const project = await hookProject();
  const say = async (session_id: string, hook_event_name: string, more: object = {}) =>
    (await hook(project, "claude-code", { session_id, hook_event_name, ...more })).context;
  const asUser = { actor: { kind: "person" as const } };
  const inProject = (work: (pins: Pins) => Promise<unknown>) =>
    inMemory(project, async (memory) => work((await memory.project()).pins));
  await say("s1", "SessionStart", { source: "startup" });
  await say("s1", "UserPromptSubmit", { prompt: "Begin." });
  await inProject((pins) => pins.pin("Never push to main.", asUser));
  const news = await say("s1", "UserPromptSubmit", { prompt: "Go on." });
  assert.match(news, /A person has changed it[\s\S]*u1: Never push to main\./);
  assert.equal(await say("s1", "UserPromptSubmit", { prompt: "Go on." }), "", "once");
  assert.match(await say("s2", "SessionStart", { source: "startup" }), /u1: Never push to main\./);
  await inProject((pins) => pins.unpin("u1", asUser));
  const without = await say("s2", "UserPromptSubmit", { prompt: "Begin." });
  assert.match(without, /A person has changed it/);
  assert.doesNotMatch(without, /Never push/);
});
