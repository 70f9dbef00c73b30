import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type HookProject, hook, hookProject, inMemory } from "../../../test/support/hook.ts";
import { rules } from "../../compaction/rules/test-support/stated-rules.ts";
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

test("rules told earlier are before the model after a compaction, marked as found [pins.found] [pins.hosts]", async () => {
  let kept = 0;
  const told = rules.filter((rule) => !rule.includes("\n"));
  for (let at = 0; at < told.length; at += 16) {
    const project = await hookProject();
    const some = told.slice(at, at + 16);
    const lines = some.flatMap((rule, index): Line[] => [
      ["user", index % 2 === 0 ? rule : `Thanks, that works. ${rule}`],
      ["assistant", "Understood."],
      ...filler.slice(0, 4),
    ]);
    const context = await compact(project, lines);
    kept += some.filter((rule) => context.includes(rule.split(/(?<=[.!]) /).at(-1) ?? rule)).length;
    assert.ok(bytesOf(context) <= maxInjected);
  }
  assert.ok(kept >= told.length * 0.95, `${kept} of ${told.length}`);
});

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
  const context = await compact(project, [["user", "Never use tabs."], ...filler]);
  const [lead = "", pins = "", rest = ""] = context.split("\n\n");
  assert.match(lead, /^\[Holdfast\] The conversation was compacted/);
  for (const text of [...long, "Never use tabs."]) assert.ok(pins.includes(text), text);
  assert.match(rest, /^## Session Notepad/);
  assert.ok(bytesOf(context) <= maxInjected, `${bytesOf(context)} bytes`);
  const resumed = await hook(project, "claude-code", {
    session_id: "s1",
    hook_event_name: "SessionStart",
    source: "clear",
  });
  assert.match(resumed.context, /\n\n\[Pins: /);
});

test("a rule is there ten compactions later, and a corrected value only in its last form [pins.lasting] [pins.corrected]", async () => {
  const project = await hookProject();
  let context = await compact(project, [
    ["user", "Never push to main. Always start the server on port 4000."],
    ["assistant", "Understood."],
    ...filler,
  ]);
  assert.match(context, /port 4000/);
  for (let epoch = 2; epoch <= 10; epoch++) {
    const news: Line[] = epoch === 5 ? [["user", "Correction: the server must start on port 5000."]] : [];
    context = await compact(project, [...filler, ...news]);
  }
  assert.match(context, /\np1: Never push to main\.\n/);
  assert.match(context, /port 5000/);
  assert.doesNotMatch(context, /port 4000/);
  await inMemory(project, async (memory) => {
    await (await memory.openSession("claude-code.s1")).pins.unpin("p1", { actor: { kind: "person" } });
  });
  context = await compact(project, [["user", "Never push to main."], ...filler]);
  assert.doesNotMatch(context, /Never push to main/, "a dropped rule is not found again");
});

test("what may be a rule is kept in the checkpoint, without being called one, until it is corrected [pins.told] [pins.lasting]", async () => {
  const project = await hookProject();
  const said = "Money is integers in cents, and the API lives on port 4010.";
  const first = await compact(project, [
    ["user", `Thanks. ${said} Go on.`],
    ["assistant", "Understood."],
    ...filler,
  ]);
  assert.ok(first.includes(`The user also said, oldest first: ${said}`), first);
  assert.ok(!first.includes("[Found in what the user said"));
  for (let epoch = 0; epoch < 3; epoch++) {
    const later = await compact(project, [...filler, ["user", `Look at part ${epoch}.`]]);
    assert.ok(later.includes(said), `epoch ${epoch}`);
  }
  const moved = "The API lives on port 4020 now, ops moved it.";
  const last = await compact(project, [["user", moved], ["assistant", "Understood."], ...filler]);
  assert.ok(last.includes(moved));
  assert.ok(!last.includes("4010"), last);
});

test("the first compaction that Holdfast sees searches what was said before earlier ones too [pins.found]", async () => {
  const project = await hookProject();
  const lines = [
    { type: "user", uuid: "1", message: { role: "user", content: "Never push to main." } },
    { type: "system", subtype: "compact_boundary", uuid: "2" },
    { type: "user", uuid: "3", isCompactSummary: true, message: { role: "user", content: "Work went on." } },
    { type: "user", uuid: "4", message: { role: "user", content: "Go on." } },
  ];
  const transcript_path = join(project.root, "transcript.jsonl");
  writeFileSync(transcript_path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const event = { session_id: "s1", transcript_path };
  await hook(project, "claude-code", { ...event, hook_event_name: "PreCompact", trigger: "auto" });
  const start = { ...event, hook_event_name: "SessionStart", source: "compact" };
  assert.match((await hook(project, "claude-code", start)).context, /\np1: Never push to main\.\n/);
});
