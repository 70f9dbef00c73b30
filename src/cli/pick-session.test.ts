import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { runNode } from "../../test/support/command-line.ts";
import { hookProject, inMemory } from "../../test/support/hook.ts";
import { ownProcess } from "../hosts/processes.ts";
import { linkSession } from "../hosts/session-link.ts";

const cli = join(import.meta.dirname, "../cli.ts");

test("a command that an agent runs takes that agent's session, also if another was written to later [people.pick]", async () => {
  const project = await hookProject();
  await inMemory(project, async (memory) => {
    await (await memory.openSession("claude-code.mine")).notepad.write("mine");
    await (await memory.openSession("codex.later")).notepad.write("of another agent");
  });
  const shown = async () => {
    const { stdout } = await runNode([cli, "show", "--json"], process.execPath, { cwd: project.root });
    return (JSON.parse(stdout) as { session: { id: string } }).session.id;
  };
  assert.equal(await shown(), "codex.later");
  const place = { directory: project.directory, cwd: project.root };
  // This process stands for the agent: the command is its child.
  linkSession({ ...place, host: "claude-code", hostSession: "mine", process: ownProcess() });
  assert.equal(await shown(), "claude-code.mine");
  linkSession({ ...place, host: "claude-code", hostSession: "silent", process: ownProcess() });
  assert.equal(await shown(), "codex.later", "nothing was written to the agent's session");
});
