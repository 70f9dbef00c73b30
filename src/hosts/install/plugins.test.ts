import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { hostNamed } from "../hosts.ts";
import { renderSkill } from "./skill-piece.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8")) as Record<string, unknown>;

/** The file of one piece of a host that init would write for a user who has nothing else. */
async function written(name: string, what: string): Promise<Record<string, unknown>> {
  const folder = temporaryDirectory();
  const places = { scope: "user", root: folder, home: folder, env: {} } as const;
  const setup = await hostNamed(name).setup();
  const piece = setup
    .pieces(places, { command: "holdfast", args: [] })
    .find((candidate) => candidate.what === what);
  return JSON.parse(piece?.add("") ?? "{}") as Record<string, unknown>;
}

test("the plugin folder for Claude Code and Codex, and Gemini CLI's extension, match what init would write [init.plugin]", async () => {
  // In a plugin, Claude Code calls the server by the plugin's name too.
  const hooks = readFileSync(join(root, "plugins/claude-code/hooks/hooks.json"), "utf8");
  const init = JSON.parse(hooks.replaceAll('"plugin:holdfast:holdfast"', '"holdfast"')) as unknown;
  assert.deepEqual(init, await written("claude-code", "hooks"));
  assert.deepEqual(read("plugins/claude-code/hooks/codex.json"), await written("codex", "hooks"));
  assert.deepEqual(read("plugins/claude-code/.mcp.json"), await written("claude-code", "MCP server"));
  assert.deepEqual(read("plugins/gemini/hooks/hooks.json"), await written("gemini", "hooks"));
  assert.deepEqual(
    read("plugins/gemini/gemini-extension.json").mcpServers,
    (await written("gemini", "MCP server")).mcpServers,
  );
});

test("there is an Agent Plugins bundle with the same server and skill [init.plugin]", async () => {
  const { $schema, mcpServers } = read("plugins/agent-plugins/mcp.json");
  const { type, command, args } = { ...(mcpServers as { holdfast: Record<string, unknown> }).holdfast };
  const init = (await written("claude-code", "MCP server")).mcpServers as typeof mcpServers;
  assert.match(String($schema), /\/schemas\/1\.0\.0\/mcp\.schema\.json$/);
  // Its schema knows no further fields.
  assert.deepEqual({ holdfast: { type, command, args, alwaysLoad: true } }, init);
  assert.match(String(read("plugins/agent-plugins/plugin.json").$schema), /\/schemas\/1\.0\.0\/plugin\./);
  const skill = readFileSync(join(root, "plugins/claude-code/skills/holdfast/SKILL.md"), "utf8");
  assert.match(skill, /^---\nname: holdfast\n[\s\S]*## When to write\n/);
});

test("init writes the bundle's skill where a host looks for skills, and leaves one that is not ours [init.skill]", async () => {
  const skill = renderSkill(["notepad", "pins", "recall"]).trimEnd();
  const folder = temporaryDirectory();
  const places = { scope: "project", root: folder, home: folder, env: {} } as const;
  const found: Record<string, string> = {};
  for (const name of ["claude-code", "codex", "gemini", "qwen", "opencode", "kilo", "copilot"]) {
    const setup = await hostNamed(name).setup();
    const piece = setup
      .pieces(places, { command: "holdfast", args: [] })
      .find(({ what }) => what === "skill");
    assert.ok(piece, name);
    assert.ok(piece.add("").startsWith(skill), name);
    assert.throws(() => piece.add("---\nname: holdfast\n---\nMine."), /is not ours/);
    assert.equal(piece.remove(piece.add(""), ""), "");
    found[name] = relative(folder, piece.path);
  }
  assert.deepEqual(found, {
    "claude-code": ".claude/skills/holdfast/SKILL.md",
    codex: ".agents/skills/holdfast/SKILL.md",
    gemini: ".gemini/skills/holdfast/SKILL.md",
    qwen: ".qwen/skills/holdfast/SKILL.md",
    opencode: ".opencode/skills/holdfast/SKILL.md",
    kilo: ".kilo/skills/holdfast/SKILL.md",
    copilot: ".copilot/skills/holdfast/SKILL.md",
  });
  // OpenClaw loads the skills that a plugin's manifest names.
  const [folders] = read("openclaw.plugin.json").skills as string[];
  assert.ok(existsSync(join(root, folders ?? "", "holdfast/SKILL.md")));
});

test("the plugins have the package's version, and the package contains the plugins [init.plugin]", () => {
  const { version, files } = read("package.json");
  for (const manifest of [
    "claude-code/.claude-plugin/plugin.json",
    "claude-code/.codex-plugin/plugin.json",
    "agent-plugins/plugin.json",
    "gemini/gemini-extension.json",
  ])
    assert.equal(read(`plugins/${manifest}`).version, version, manifest);
  assert.ok((files as string[]).includes("plugins"));
  const { plugins } = read("plugins/.claude-plugin/marketplace.json") as { plugins: { source: string }[] };
  assert.deepEqual(
    plugins.map(({ source }) => source),
    ["./claude-code"],
  );
});
