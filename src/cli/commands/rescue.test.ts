import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runNode } from "../../../test/support/command-line.ts";
import { openTestMemory } from "../../../test/support/memory.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { findProject } from "../../workspace/project.ts";

const cli = join(import.meta.dirname, "../../cli.ts");
const key = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;

/** A home with one compacted conversation of Claude Code in a project, and one of another project. */
function machine() {
  const home = temporaryDirectory();
  const project = join(home, "shop");
  mkdirSync(join(project, ".git"), { recursive: true });
  const record = (cwd: string, id: string, lines: readonly object[]) => {
    const folder = join(home, ".claude/projects", id);
    mkdirSync(folder, { recursive: true });
    const common = { cwd, sessionId: id, isSidechain: false };
    const text = lines.map((line, index) => JSON.stringify({ uuid: `${id}-${index}`, ...common, ...line }));
    writeFileSync(join(folder, `${id}.jsonl`), `${text.join("\n")}\n`);
  };
  const user = (content: unknown) => ({ type: "user", message: { role: "user", content } });
  const agent = (...content: object[]) => ({ type: "assistant", message: { role: "assistant", content } });
  const call = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
  const result = (id: string, content: string) => user([{ type: "tool_result", tool_use_id: id, content }]);
  const todos = [
    { content: "Write the tax table", status: "completed" },
    { content: "Round totals per line", status: "pending" },
  ];
  record(project, "first", [
    user(`Move the invoices to the new tax rules. Never push to main. The key is ${key}`),
    agent({ type: "text", text: "I decided to keep amounts in cents because floats lose money." }),
    agent(call("1", "TodoWrite", { todos })),
    result("1", "ok"),
    agent(call("2", "Edit", { file_path: join(project, "src/tax.ts") })),
    result("2", "ok"),
    agent(call("3", "Bash", { command: "npm run test:tax" })),
    result("3", "ok"),
    { type: "system", subtype: "compact_boundary", content: "Conversation compacted" },
    { ...user("Summary: work on invoices."), isCompactSummary: true },
    user("Carry on with something else"),
  ]);
  record(join(home, "other"), "second", [user("Something of another project that nobody asked for here")]);
  const run = (...args: string[]) =>
    runNode([cli, "rescue", ...args], process.execPath, { cwd: project, env: { HOME: home } });
  return { project, home, run };
}

interface Shown {
  conversations: { number: number; id: string; compactions: number; handoff: string }[];
}

test("rescue shows the handoff from before the last compaction, and appends it to the notepad [people.rescue]", async () => {
  const { project, run } = machine();
  const { code, stdout, stderr } = await run("--json");
  assert.equal(code, 0, stderr);
  const [found, ...others] = (JSON.parse(stdout) as Shown).conversations;
  assert.deepEqual([found?.id, found?.compactions, others], ["first", 1, []], "only this project's");
  const handoff = found?.handoff ?? "";
  assert.match(
    handoff,
    /oldest first:\n- Move the invoices to the new tax rules\. Never push to main\. .* \[REDACTED github-token/,
  );
  assert.match(handoff, /\n- \[x\] Write the tax table\n- \[ \] Round totals per line\n/);
  assert.match(handoff, /\nYou: I decided to keep amounts in cents because floats lose money\.\n/);
  assert.match(handoff, /\n- Edit .*src.tax\.ts\n- \$ npm run test:tax → ok\n/);
  assert.ok(!stdout.includes(key) && !stdout.includes("something else"));
  const shown = await run();
  assert.match(shown.stdout, /^1 {2}Claude Code first, .*, before the last of 1 compaction\n {3}\[Handoff: /);
  assert.match(
    shown.stdout,
    /Nothing was changed\. Paste it into a conversation with any agent\. To have it kept from now on: .* init\n$/,
  );

  const taken = await run("--take", "1");
  assert.equal(taken.code, 0, taken.stderr);
  assert.match(taken.stdout, /Appended to the notepad of claude-code\.first/);
  assert.match(
    taken.stdout,
    /Claude Code is not connected yet, so the agent does not get it\. Run ".* init", then continue the conversation: claude --continue\./,
  );
  const again = await run("--take", "1");
  assert.equal(again.code, 0, again.stderr);
  assert.match(
    again.stdout,
    /\nThe notepad of claude-code\.first has this handoff already\. Nothing was changed\.\n$/,
  );
  const memory = await openTestMemory({ store: join(findProject(project).directory, "memory.db") });
  const session = await memory.resumeSession("claude-code.first");
  assert.equal(await session.notepad.read(), `## Rescued from before a compaction\n${handoff}`);
  await memory.close();
});

test("rescue reads the transcripts of hosts that have no recording [people.rescue]", async () => {
  const { project, home, run } = machine();
  const hash = createHash("sha256").update(project).digest("hex");
  const chats = join(home, ".gemini/tmp/x/chats");
  mkdirSync(chats, { recursive: true });
  const messages = [
    { id: "1", type: "user", content: "Port the parser" },
    { id: "2", type: "gemini", content: "Ported." },
  ];
  writeFileSync(
    join(chats, "session-1.json"),
    JSON.stringify({ sessionId: "g1", projectHash: hash, messages }),
  );
  const { conversations } = JSON.parse((await run("--json")).stdout) as Shown;
  assert.deepEqual(conversations.map(({ id }) => id).sort(), ["first", "g1"]);
  const shown = await run();
  assert.match(shown.stdout, /^\d {2}Gemini CLI g1, .*\n.*\n.*\n {3}- Port the parser\n/m);
});

test("rescue refuses a number that is not shown, and lists the places that it searched [people.rescue]", async () => {
  const { run } = machine();
  const wrong = await run("--take", "99");
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /There is no conversation "99"\. The numbers are 1 to 1\./);
  const elsewhere = temporaryDirectory();
  const none = await runNode([cli, "rescue"], process.execPath, {
    cwd: elsewhere,
    env: { HOME: elsewhere },
  });
  assert.equal(none.code, 1);
  assert.match(none.stderr, /No recorded conversation was found for .*"holdfast rescue --all"/s);
});

test("rescue follows the agent's own variable for its folder [people.rescue]", async () => {
  const { project, home } = machine();
  renameSync(join(home, ".claude"), join(home, "elsewhere"));
  const env = { HOME: home, CLAUDE_CONFIG_DIR: join(home, "elsewhere") };
  const { code, stdout } = await runNode([cli, "rescue"], process.execPath, { cwd: project, env });
  assert.equal(code, 0);
  assert.match(stdout, /Move the invoices to the new tax rules/);
});
