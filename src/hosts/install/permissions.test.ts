import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hostNamed } from "../hosts.ts";
import { memoryTools } from "./memory-tools.ts";
import {
  everything,
  freshPlaces,
  init,
  launcher,
  put,
  read,
  uninstall,
} from "./test-support/installed-project.ts";

const files = {
  "claude-code": { path: ".claude/settings.json", rule: "mcp__holdfast__update_notepad" },
  gemini: { path: ".gemini/settings.json", rule: "mcp_holdfast_update_notepad" },
  codex: { path: ".codex/config.toml", rule: 'update_notepad = { approval_mode = "approve" }' },
} as const;

test("init allows the memory tools, and no others, where a host would refuse them without a screen [init.permissions]", async () => {
  for (const [host, { path, rule }] of Object.entries(files)) {
    const places = freshPlaces();
    put(join(places.root, ".claude/settings.json"), '{\n  "permissions": { "allow": ["Bash(ls)"] }\n}\n');
    const before = everything(places);
    await init(places, host);
    const text = read(places, path);
    assert.ok(text.includes(rule), text);
    for (const other of ["run_sandbox_code", "create_tool", "holdfast*", "holdfast__*", "edit_system_prompt"])
      assert.ok(!text.includes(other), other);
    await uninstall(places, host);
    assert.deepEqual(everything(places), before);
  }
});

test("a project's NOTES.md adds its tools; all projects get only those of every session [init.permissions]", () => {
  const places = freshPlaces();
  const names = (scope: "project" | "user") => memoryTools({ ...places, scope }).map(({ name }) => name);
  assert.ok(!names("project").includes("log_decision"));
  put(join(places.root, "grimoires/loa/NOTES.md"), "# NOTES\n");
  assert.ok(names("project").includes("log_decision"));
  assert.ok(!names("user").includes("log_decision"));
});

test("a user's own rules stay, and doctor notes what they refuse [init.permissions]", async () => {
  for (const [host, { path, rule }] of Object.entries(files)) {
    const places = freshPlaces();
    await init(places, host);
    const gaps = async () => {
      const { pieces } = await hostNamed(host).setup();
      return pieces(places, launcher)
        .filter((piece) => piece.path.endsWith(path))
        .flatMap((piece) => piece.gaps(read(places, path)));
    };
    assert.deepEqual(await gaps(), []);
    writeFileSync(join(places.root, path), read(places, path).replace(rule, rule.replace("update", "other")));
    const [choice, ...more] = await gaps();
    assert.deepEqual([choice?.kind, more], ["choice", []]);
    assert.match(choice?.what ?? "", /does not allow all memory tools/);
  }
});
