import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
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
  return { project, run };
}

interface Shown {
  conversations: {
    id: string;
    compactions: number;
    items: { number: number; kind: string; text: string }[];
  }[];
}

test("rescue shows what a conversation knew before its last compaction and puts what is chosen into memory [people.rescue]", async () => {
  const { project, run } = machine();
  const { code, stdout, stderr } = await run("--json");
  assert.equal(code, 0, stderr);
  const [found, ...others] = (JSON.parse(stdout) as Shown).conversations;
  assert.deepEqual([found?.id, found?.compactions, others], ["first", 1, []], "only this project's");
  const byKind = Map.groupBy(found?.items ?? [], ({ kind }) => kind);
  const textOf = (kind: string) =>
    byKind
      .get(kind)
      ?.map(({ text }) => text)
      .join("\n") ?? "";
  assert.equal(textOf("plan"), "- [ ] Round totals per line\n- [x] Write the tax table");
  assert.match(textOf("ask"), /^Move the invoices to the new tax rules\..* \[REDACTED github-token/);
  assert.equal(textOf("decision"), "I decided to keep amounts in cents because floats lose money.");
  assert.match(textOf("files"), /src.tax\.ts$/);
  assert.equal(textOf("commands"), "npm run test:tax");
  assert.ok(!stdout.includes(key) && !stdout.includes("something else"));

  const numberOf = (kind: string) => byKind.get(kind)?.[0]?.number ?? 0;
  const taken = await run("--take", `${numberOf("plan")},${numberOf("decision")}`);
  assert.equal(taken.code, 0, taken.stderr);
  assert.match(taken.stdout, /2 items put into the memory of claude-code\.first/);
  const memory = await openTestMemory({ store: join(findProject(project).directory, "memory.db") });
  const session = await memory.resumeSession("claude-code.first");
  assert.match(await session.notepad.read(), /^### Plan\n- \[ \] Round totals per line$/m);
  assert.match(await session.notepad.read(), /^### Decisions\n- I decided to keep amounts in cents/m);
  await memory.close();
});

test("rescue refuses a number that is not shown, and says where it looked [people.rescue]", async () => {
  const { run } = machine();
  const wrong = await run("--take", "99");
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /There is no item "99"\. The items are 1 to \d+; or take all\./);
  const elsewhere = temporaryDirectory();
  const none = await runNode([cli, "rescue"], process.execPath, {
    cwd: elsewhere,
    env: { HOME: elsewhere },
  });
  assert.equal(none.code, 1);
  assert.match(none.stderr, /No recorded conversation was found for .*"holdfast rescue --all"/s);
});
