import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type HookProject, hook, hookProcess, hookProject, inMemory } from "../../../test/support/hook.ts";
import { holdfastWith } from "../../../test/support/people.ts";
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

async function pinInStore(
  project: HookProject,
  session: string,
  text: string,
  pattern?: string,
): Promise<void> {
  await inMemory(project, async (memory) => {
    const options = pattern === undefined ? {} : { rule: { tool: "*", pattern } };
    await (await memory.openSession(session)).pins.pin(text, { actor: { kind: "person" }, ...options });
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

const refusing = [
  [
    "claude-code",
    { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "git push origin main" } },
  ],
  [
    "codex",
    { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "git push origin main" } },
  ],
  [
    "opencode",
    { hook_event_name: "before-tool", tool_name: "bash", tool_input: { command: "git push origin main" } },
  ],
] as const;

test("a forbidden call is refused after a compaction in each host with hooks, and every other call passes [pins.refuse]", async () => {
  for (const [host, call] of refusing) {
    const project = await hookProject();
    const send = (more: object) => hook(project, host, { session_id: "s1", ...call, ...more });
    assert.match((await send({})).stdout, /^(?:\{\})?$/, "nothing is pinned yet");
    await pinInStore(project, `${host}.s1`, "Never push to main.", "git push*main");
    if (host !== "opencode") await compact(project, filler, host);
    const { stdout } = await send({});
    const answer = JSON.parse(stdout);
    const decision = answer.hookSpecificOutput?.permissionDecision ?? "deny";
    const reason = answer.hookSpecificOutput?.permissionDecisionReason ?? answer.refuse;
    assert.equal(decision, "deny");
    assert.match(reason, /The user said: "Never push to main\." \(pin p1\).*holdfast unpin p1 --session/);
    for (const passing of [
      { tool_input: { command: "git push origin feature" } },
      { tool_name: "mcp__holdfast__write_notepad", tool_input: { content: "git push to main is forbidden" } },
      { tool_input: undefined },
    ])
      assert.match((await send(passing)).stdout, /^(?:\{\})?$/, JSON.stringify(passing));
    await inMemory(project, async (memory) => {
      const session = await memory.openSession(`${host}.s1`);
      await session.pins.unpin("p1", { actor: { kind: "person" } });
    });
    assert.match((await send({})).stdout, /^(?:\{\})?$/, "lifted in one step");
  }
});

test("a command that lifts a person's rule is refused in each host with hooks; texts about it are not [pins.lift]", async () => {
  for (const [host, call] of refusing) {
    const project = await hookProject();
    await pinInStore(project, `${host}.s1`, "Never push to main.", "git push*main");
    const send = async (more: object) =>
      (await hook(project, host, { session_id: "s1", ...call, ...more })).stdout;
    for (const command of ["node dist/cli.js unpin p1", "ls; holdfast pin p1 --tool Nothing"])
      assert.match(
        await send({ tool_input: { command } }),
        /Never push to main\..+holdfast unpin p1 --session/,
        `${host}: ${command}`,
      );
    for (const passing of [
      {
        tool_name: "Write",
        tool_input: { content: "Run holdfast serve. To lift it, unpin it, e.g. npm p1" },
      },
      { tool_name: "Read", tool_input: { file_path: "/home/me/holdfast/src/unpin/p1.ts" } },
      { tool_name: "Grep", tool_input: { pattern: "holdfast unpin p12" } },
      { tool_input: { command: "holdfast unpin p12" } },
      { tool_input: { command: "holdfast show" } },
    ])
      assert.match(await send(passing), /^(?:\{\})?$/, `${host}: ${JSON.stringify(passing)}`);
  }
});

test("the rules come from a small file until the store changes; without a memory nothing is opened [pins.refuse]", async () => {
  const [, call] = refusing[0];
  const empty = await hookProject({ withMemory: false });
  assert.equal((await hook(empty, "claude-code", { session_id: "s1", ...call })).stdout, "");
  assert.ok(!existsSync(empty.database));
  const project = await hookProject();
  const cache = join(project.directory, "links/rules-claude-code.s1.json");
  await hook(project, "claude-code", {
    session_id: "s1",
    hook_event_name: "SessionStart",
    source: "startup",
  });
  await hook(project, "claude-code", { session_id: "s1", ...call });
  const known = JSON.parse(readFileSync(cache, "utf8"));
  assert.deepEqual(known.pins, []);
  const forged = { id: "p1", text: "x", status: "pinned", by: "person", rule: { tool: "*", pattern: "git" } };
  writeFileSync(cache, JSON.stringify({ ...known, pins: [forged, null, { rule: 1 }] }));
  assert.match(
    (await hook(project, "claude-code", { session_id: "s1", ...call })).stdout,
    /deny/,
    "the file was used",
  );
  await pinInStore(project, "claude-code.s1", "Use tabs.");
  assert.equal(
    (await hook(project, "claude-code", { session_id: "s1", ...call })).stdout,
    "",
    "and read anew",
  );
});

test("if memory fails, every call passes, and the command line lifts a rule [pins.failure] [pins.lift]", async () => {
  const [, call] = refusing[0];
  const project = await hookProject();
  const input = JSON.stringify({ session_id: "s1", cwd: project.root, ...call });
  await hook(project, "claude-code", {
    session_id: "s1",
    hook_event_name: "SessionStart",
    source: "startup",
  });
  const run = (...args: string[]) => holdfastWith({ HOLDFAST_DB: project.database }, ...args);
  const pinned = await run(
    "pin",
    "Never push to main.",
    "--pattern",
    "git push*main",
    "--session",
    "claude-code.s1",
  );
  assert.equal(pinned.code, 1, "the session does not exist before its first note");
  await pinInStore(project, "claude-code.s1", "Be brief.");
  const again = await run(
    "pin",
    "Never push to main.",
    "--pattern",
    "git push*main",
    "--session",
    "claude-code.s1",
  );
  assert.equal(again.code, 0, again.stderr);
  const refused = await hookProcess("claude-code", input, { cwd: project.root });
  assert.match(refused.stdout, /"permissionDecision":"deny".*Never push to main/);
  const command = /holdfast (unpin p\d+ --session [\w.-]+)/.exec(refused.stdout)?.[1] ?? "";
  assert.equal((await run(...command.split(" "))).code, 0);
  assert.equal((await hookProcess("claude-code", input, { cwd: project.root })).stdout, "");
  writeFileSync(project.database, "not a database");
  chmodSync(project.database, 0o600);
  const failed = await hookProcess("claude-code", input, { cwd: project.root });
  assert.deepEqual([failed.code, failed.stdout], [0, ""]);
});
