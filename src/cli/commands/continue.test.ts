import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { runNode } from "../../../test/support/command-line.ts";
import { hook, hookProject, inMemory } from "../../../test/support/hook.ts";
import { agentCommand, ownCommand } from "../../hosts/install/launcher.ts";

const cli = join(import.meta.dirname, "../../cli.ts");
const notes = "## Tax\n- [x] Read the rules\n- [ ] Round totals\n";

/** A project with the notes of two earlier conversations, in which a conversation has just begun. */
async function nextMorning() {
  const project = await hookProject();
  const start = (id: string) =>
    hook(project, "claude-code", { hook_event_name: "SessionStart", source: "startup", session_id: id });
  await inMemory(project, async (memory) => {
    await (await memory.openSession("claude-code.older")).notepad.write("older notes");
    const last = await memory.openSession("claude-code.last");
    await last.notepad.write(notes);
    await last.scratchpad.setPlan("1. Round totals\n2. Tell Ada");
  });
  const { context } = await start("today");
  const run = (...args: string[]) =>
    runNode([cli, "continue", ...args], process.execPath, { cwd: project.root });
  const notepad = (id: string) =>
    inMemory(project, async (memory) => (await memory.findSession(id))?.notepad.read());
  return { context, start, run, notepad };
}

test("continue appends the last conversation's notes and open items here, and prints them [people.continue]", async () => {
  const { context, run, notepad } = await nextMorning();
  const { code, stdout, stderr } = await run();
  assert.equal(code, 0, stderr);
  const all = `${notes}- [ ] Tell Ada`;
  assert.equal(await notepad("claude-code.today"), all);
  assert.equal(await notepad("claude-code.last"), notes, "the earlier session keeps its own");
  assert.equal(
    stdout,
    `Appended to the notepad of claude-code.today, from claude-code.last:

${all}

"${ownCommand()} undo claude-code.today --revision 2" takes it back.
`,
  );
  assert.ok(context.includes(`run: ${agentCommand()} continue claude-code.last\n`), context);
});

test("continue appends a named session below the notes that are there, as a person's edit [people.continue]", async () => {
  const { start, run, notepad } = await nextMorning();
  await run();
  const refused = await run();
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /claude-code\.today, the conversation here, has notes already\./);
  assert.equal((await run("claude-code.older", "--json")).code, 0);
  assert.equal(await notepad("claude-code.today"), `${notes}- [ ] Tell Ada\nolder notes`);
  assert.match((await start("today")).context, /\[Origin of the notepad: lines 1–5 by a person\]/);
});

test("continue changes nothing if there is nothing to append [people.continue]", async () => {
  const { start, run, notepad } = await nextMorning();
  const itself = await run("claude-code.today");
  assert.match(itself.stderr, /no session "claude-code\.today"/);
  await start("last");
  assert.match((await run("claude-code.last")).stderr, /claude-code\.last is the conversation here\./);
  assert.match((await run()).stderr, /claude-code\.last, .+ has notes already\. Nothing was changed\./);
  assert.equal(await notepad("claude-code.last"), notes);
  const project = await hookProject();
  await hook(project, "claude-code", {
    hook_event_name: "SessionStart",
    source: "startup",
    session_id: "first",
  });
  const alone = await runNode([cli, "continue"], process.execPath, { cwd: project.root });
  assert.equal(alone.code, 1);
  const first = await inMemory(project, (memory) => memory.findSession("claude-code.first"));
  assert.equal(first, undefined, "no session is created");
  assert.match(alone.stderr, /No earlier conversation in this project left notes\. Nothing was changed\./);
});
