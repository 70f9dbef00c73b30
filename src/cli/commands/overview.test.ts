import assert from "node:assert/strict";
import { mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compactedStory } from "../../../test/support/compacted-story.ts";
import { hook, hookProject, stateHome } from "../../../test/support/hook.ts";
import { openTestMemory } from "../../../test/support/memory.ts";
import { holdfastWith } from "../../../test/support/people.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { findProject } from "../../workspace/project.ts";

/** A project of its own in a home of its own, and the commands in it. */
function freshProject() {
  const root = realpathSync(temporaryDirectory());
  mkdirSync(join(root, ".git"));
  const home = temporaryDirectory();
  const state = join(home, "state");
  const variables = { TEST_DIRECTORY: root, HOME: home, XDG_STATE_HOME: state, PATH: "", COLUMNS: "120" };
  return { root, home, state, run: (...args: string[]) => holdfastWith(variables, ...args) };
}

/** The project's store, where `holdfast` looks for it. */
function storeOf({ root, state }: { root: string; state: string }): string {
  const before = process.env.XDG_STATE_HOME;
  process.env.XDG_STATE_HOME = state;
  const { directory } = findProject(root);
  if (before === undefined) delete process.env.XDG_STATE_HOME;
  else process.env.XDG_STATE_HOME = before;
  mkdirSync(directory, { recursive: true });
  return join(directory, "memory.db");
}

test("holdfast alone shows where memory stands and one next step, and writes nothing [people.welcome]", async () => {
  const { root, home, run } = freshProject();
  const empty = await run();
  assert.equal(empty.code, 0, empty.stderr);
  assert.match(empty.stdout, /no coding agent is connected\n\nNo memory has been written here yet\.\n/);
  assert.match(empty.stdout.replaceAll("\n", " "), /Next: .* help init, to connect a coding agent/);
  assert.deepEqual(readdirSync(home), []);
  assert.deepEqual(readdirSync(root), [".git"]);

  mkdirSync(join(root, ".claude"));
  assert.match((await run()).stdout, /Next: .* init --dry-run, to see how to connect Claude Code\n/);
  assert.equal((await run("init", "claude-code")).code, 0);
  assert.match(
    (await run()).stdout,
    /connected: Claude Code\n[\s\S]*\nNext: start Claude Code here and give it a task\n/,
  );
});

test("without memory, a command names the next step: init, or the agent that init connected [people.bad-store]", async () => {
  const { root, run } = freshProject();
  assert.match((await run("show")).stderr.replaceAll(/\s+/g, " "), /yet\. Run "holdfast init" to connect/);
  mkdirSync(join(root, ".claude"));
  await run("init", "claude-code");
  const { code, stderr } = await run("show");
  assert.equal(code, 1);
  assert.match(stderr.replaceAll(/\s+/g, " "), /yet\. Start Claude Code here and give it a task\./);
  assert.doesNotMatch(stderr, /holdfast init/);
});

test("the overview has a line per session: window, plan, last compaction, and what needs attention [people.welcome]", async () => {
  const project = freshProject();
  const memory = await openTestMemory({ store: storeOf(project), surfaces: ["notepad", "notes"] });
  const session = await compactedStory(memory, "audit-1");
  await session.apply({ type: "session.rename", title: "Workbook audit" });
  await session.notepad.write("- [x] Read\n- [ ] Explain\n- [ ] Report");
  const facts = { purpose: "turn", epoch: 2, contextWindow: 8_000, usage: { input: 4_000 }, parts: {} };
  await session.calls.record([], facts, Date.now());
  for (let number = 1; number <= 6; number++) await memory.createSession({ id: `s${number}` });
  await session.notepad.append("- [x] Ask");
  await memory.close();
  const { stdout, stderr } = await project.run();
  assert.equal(stderr, "");
  assert.match(stdout, /\nSESSION +AGENT +WINDOW +PLAN +LAST COMPACTION +WRITTEN\n/);
  assert.match(stdout, /\nWorkbook audit +\S+ +50 % +2\/4 +6 lost +\S.* ago\n/);
  assert.match(stdout, /\n2 more sessions: holdfast sessions\n/);
  assert.match(
    stdout,
    /\n\nNeeds attention\n {2}"Workbook audit": 6 messages of the last compaction are lost: the agent cannot read them back\.\n/,
  );
  assert.match(stdout, /\n\nNext: .* serve, to watch and edit this memory in the browser\n$/);
});

test("the overview has the same facts as the inspector: a numbered plan, the window after a compaction [people.welcome]", async () => {
  const project = freshProject();
  const memory = await openTestMemory({ store: storeOf(project), surfaces: ["notepad", "scratchpad"] });
  const session = await compactedStory(memory, "audit-1");
  await session.scratchpad.setPlan("1. [x] Read the sheets\n2. [ ] Explain the gap");
  const before = { purpose: "turn", epoch: 1, contextWindow: 8_000, usage: { input: 7_600 }, parts: {} };
  await session.calls.record([], before, Date.now());
  const [receipt] = await session.receipts();
  await memory.close();
  const { stdout } = await project.run();
  const full = Math.round((100 * (receipt?.tokensAfter ?? 0)) / 8_000);
  assert.match(stdout, new RegExp(`\\n\\S.* own +${full} % +1/2 +6 lost +`));
});

test("the plan of a coding agent is the to-do list that its compaction kept [people.welcome]", async () => {
  const project = await hookProject();
  const transcript_path = join(project.root, "t.jsonl");
  const todos = [
    { content: "Write the tax table", status: "completed", activeForm: "Writing" },
    { content: "Round totals per line", status: "pending", activeForm: "Rounding" },
  ];
  const lines = [
    { type: "user", uuid: "1", message: { role: "user", content: "Move the invoices." } },
    {
      type: "assistant",
      uuid: "2",
      message: {
        role: "assistant",
        content: [{ type: "tool_use", id: "t", name: "TodoWrite", input: { todos } }],
      },
    },
  ];
  writeFileSync(transcript_path, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
  for (const event of [
    { hook_event_name: "SessionStart", source: "startup" },
    { hook_event_name: "PreCompact", trigger: "auto" },
    { hook_event_name: "SessionStart", source: "compact" },
  ])
    await hook(project, "claude-code", { session_id: "s1", transcript_path, ...event });
  const variables = { TEST_DIRECTORY: project.root, XDG_STATE_HOME: stateHome, PATH: "", COLUMNS: "120" };
  const { stdout, stderr } = await holdfastWith({ HOME: temporaryDirectory(), ...variables });
  assert.equal(stderr, "");
  assert.match(stdout, /\nMove the invoices\. +Claude Code +\S+ +1\/2 +2 /);
});
