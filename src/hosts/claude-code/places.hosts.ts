import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { type ClientAnswer, startScriptedModel } from "../doctor/scripted-model.ts";
import { builtCommand, installClient, makeBarePlace, run, writeJson } from "../test-support/clients.ts";

const spec = "@anthropic-ai/claude-code@2.1.325";

/** More than this of tokens, and Claude Code compacts: its least window is 100,000. */
const limit = 67_000;

const bash = (command: string): ClientAnswer => ({
  call: { tool: "Bash", input: { command } },
  tokens: 9_000,
});

/** The agent's way in mid-session. */
const journeys: Record<string, string[]> = {
  "into a nested repository": ["git init --quiet nested && cd nested && pwd"],
  "into a submodule": ["git -c protocol.file.allow=always submodule --quiet add $OTHER sub && cd sub && pwd"],
  "into another worktree": ["git worktree add --quiet $ELSEWHERE && cd $ELSEWHERE && pwd"],
  "and removes the worktree that it is in": ["git worktree remove --force $PWD && ls $PWD; true"],
};

for (const [journey, commands] of Object.entries(journeys))
  test(`${spec}: an agent in a worktree goes ${journey} and is compacted: its notepad is there [hooks.place]`, {
    timeout: 180_000,
  }, async (t) => {
    const steps = [
      { call: { tool: "mcp__holdfast__write_notepad", input: { content: "cedar-4711" } }, tokens: 9_000 },
      ...commands.map(bash),
      // The first one may be let through, for the warning.
      { ...bash("true"), tokens: limit + 1_000 },
      { ...bash("true"), tokens: limit + 1_500 },
    ];
    const model = await startScriptedModel(({ last }) =>
      /detailed summary of the conversation/i.test(last)
        ? { text: "<summary>The user asked for the ledger.</summary>", tokens: 9_000 }
        : (steps.shift() ?? { text: "Done.", tokens: 9_000 }),
    );
    t.after(model.close);
    const place = makeBarePlace();
    const [repository, other] = [temporaryDirectory(), temporaryDirectory()];
    const root = join(realpathSync(temporaryDirectory()), "worktree");
    for (const folder of [repository, other]) commitIn(folder);
    execFileSync("git", ["worktree", "add", "--quiet", root], { cwd: repository });
    Object.assign(place, { root });
    Object.assign(place.env, {
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      OTHER: other,
      ELSEWHERE: join(temporaryDirectory(), "elsewhere"),
    });
    writeJson(join(place.home, ".claude/settings.json"), { autoCompactWindow: 100_000 });
    await run(process.execPath, [builtCommand(), "init", "claude-code"], place);
    const program = join(installClient(spec), "node_modules/@anthropic-ai/claude-code/bin/claude.exe");
    await run(program, ["-p", "--allowedTools", "Bash,mcp__holdfast__*", "--", "Move the ledger."], place);
    const summary = model.requests.findIndex(({ last }) => /detailed summary/i.test(last));
    assert.ok(summary > 0, "it was compacted");
    assert.equal(existsSync(root), !journey.includes("removes"));
    assert.match(model.requests[summary + 1]?.text ?? "", /## Session Notepad\ncedar-4711/);
  });

function commitIn(folder: string): void {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=n", "-c", "user.email=n@example.com", ...args], { cwd: folder });
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "--message", "begin");
}
