import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { hostNamed } from "../hosts.ts";
import { isChange } from "./config-file.ts";
import { planInit } from "./init.ts";
import { memoryTools } from "./memory-tools.ts";
import type { Places } from "./places.ts";
import {
  everything,
  freshPlaces,
  init,
  launcher,
  put,
  read,
  uninstall,
} from "./test-support/installed-project.ts";

/** Where each host keeps its rules, below the folder of project and home, and how one looks. */
const files = {
  "claude-code": {
    path: "project/.claude/settings.json",
    rule: (name: string) => `"mcp__holdfast__${name}"`,
  },
  gemini: { path: "home/.gemini/policies/holdfast.toml", rule: (name: string) => `"${name}"` },
  qwen: { path: "project/.qwen/settings.json", rule: (name: string) => `"mcp__holdfast__${name}"` },
  codex: {
    path: "project/.codex/config.toml",
    rule: (name: string) => `${name} = { approval_mode = "approve" }`,
  },
} as const;

const rulesIn = ({ root }: Places, path: string) => readFileSync(join(dirname(root), path), "utf8");

test("init allows the memory tools, and no others, where a host would refuse them without a screen [init.permissions]", async () => {
  for (const [host, { path, rule }] of Object.entries(files)) {
    const places = freshPlaces();
    put(join(places.root, ".claude/settings.json"), '{\n  "permissions": { "allow": ["Bash(ls)"] }\n}\n');
    const before = everything(places);
    await init(places, host);
    const text = rulesIn(places, path);
    assert.ok(text.includes(rule("update_notepad")), text);
    for (const other of ["run_sandbox_code", "create_tool", "holdfast*", "holdfast__*", "edit_system_prompt"])
      assert.ok(!text.includes(other), other);
    await uninstall(places, host);
    assert.deepEqual(everything(places), before);
  }
});

test("init denies the sub-agent of Gemini CLI that has all tools the one that replaces the notepad [init.permissions]", async () => {
  const places = freshPlaces();
  await init(places, "gemini");
  const rule = /\[\[rule\]\]\n(?=[^[]+generalist)[^[]+/.exec(rulesIn(places, files.gemini.path))?.[0] ?? "";
  assert.match(rule, /^toolName = "write_notepad"\nsubagent = "generalist"\ndecision = "deny"$/m);
  assert.match(
    rule,
    /^denyMessage = "This notepad belongs .*call update_notepad with operation \\"append\\"\."$/m,
  );
});

test("init sets no key that Gemini CLI warns about, and no timeout that Codex clamps [init.no-warning]", async () => {
  const places = freshPlaces();
  await init(places, "gemini", "codex");
  assert.doesNotMatch(read(places, ".gemini/settings.json"), /"tools"/);
  const { hooks } = JSON.parse(read(places, ".codex/hooks.json")) as {
    hooks: Record<string, { hooks: { timeout: number }[] }[]>;
  };
  assert.deepEqual(
    Object.entries(hooks).map(([event, [group]]) => [event, group?.hooks[0]?.timeout]),
    Object.keys(hooks).map((event) => [event, event === "SessionEnd" ? 3 : 10]),
  );
});

/** Each of the documents alone, and the tools that are its own. */
const documents = {
  notepad: ["read_notepad", "write_notepad", "update_notepad"],
  notes: [
    "add_note",
    "search_notes",
    "list_notes",
    "update_note",
    "delete_note",
    "scratch_note",
    "list_tags",
  ],
  scratchpad: ["session_scratchpad"],
  project: ["recover_context", "log_decision", "log_entry", "log_handoff"],
} as const;

const everyTool = memoryTools({ ...freshPlaces(), surfaces: ["notepad"] }).map(({ name }) => name);
const skills = {
  "claude-code": ".claude",
  codex: ".agents",
  gemini: ".gemini",
  qwen: ".qwen",
  opencode: ".opencode",
  kilo: ".kilo",
  cursor: ".cursor",
} as const;

for (const [document, tools] of Object.entries(documents)) {
  test(`${document} alone: its tools are allowed and taught, and no others are named [init.one-document]`, async () => {
    const surfaces = [document as keyof typeof documents];
    const others = everyTool.filter((name) => !tools.some((tool) => tool === name));
    for (const scope of ["project", "user"] as const) {
      for (const [host, { path, rule }] of Object.entries(files)) {
        const places = freshPlaces(scope);
        // An install with the defaults comes first: the choice has to replace it.
        await init(places, host);
        await init({ ...places, surfaces }, host);
        const file = scope === "project" ? path : everyRules(places, host);
        const text = rulesIn(places, file);
        const isWriting = (name: string) => host !== "codex" || memoryTool(name)?.readOnly === false;
        for (const name of tools.filter(isWriting)) assert.ok(text.includes(rule(name)), `${host} ${name}`);
        for (const name of others) assert.ok(!text.includes(rule(name)), `${host} still allows ${name}`);
      }
    }
    for (const [host, folder] of Object.entries(skills)) {
      const places = freshPlaces();
      await init({ ...places, surfaces }, host);
      const skill = read(places, join(folder, "skills/holdfast/SKILL.md"));
      const named = Array.from(skill.matchAll(/`(\w+)`/g), ([, name = ""]) => name);
      const actions = ["set_plan", "append_notes", "set_notes"];
      const known = [...tools, ...(document === "scratchpad" ? actions : [])];
      assert.deepEqual(
        named.filter((name) => !known.includes(name)),
        [],
        `${host}: ${skill}`,
      );
      assert.ok(named.length > 0, skill);
    }
  });

  test(`${document} alone: a second init has nothing to change, and doctor's wiring has no gaps [init.one-document]`, async () => {
    const surfaces = [document as keyof typeof documents];
    for (const host of Object.keys(skills)) {
      const places = freshPlaces();
      await init({ ...places, surfaces }, host);
      put(join(places.root, "holdfast.json"), JSON.stringify({ surfaces }));
      const again = await planInit([host], places, launcher);
      assert.deepEqual(again.files.filter(isChange), [], host);
      const setup = await hostNamed(host).setup();
      for (const piece of setup.pieces(places, launcher))
        assert.deepEqual(piece.gaps(readFileSync(piece.path, "utf8")), [], `${host} ${piece.what}`);
    }
  });
}

function memoryTool(name: string) {
  return memoryTools({ ...freshPlaces(), surfaces: ["notepad"] }).find((tool) => tool.name === name);
}

/** Where the rules for all projects are. */
function everyRules({ home, root }: Places, host: string): string {
  const names: Record<string, string> = {
    "claude-code": ".claude/settings.json",
    gemini: ".gemini/policies/holdfast.toml",
    qwen: ".qwen/settings.json",
    codex: ".codex/config.toml",
  };
  return relative(dirname(root), join(home, names[host] ?? ""));
}

test("a project's NOTES.md adds its tools; an install for all projects has them for those that have some [init.permissions]", () => {
  const places = freshPlaces();
  const names = (scope: "project" | "user") =>
    memoryTools({ ...places, scope }).flatMap(({ name, isOffered }) => (isOffered ? [name] : []));
  assert.ok(!names("project").includes("log_decision"));
  put(join(places.root, "grimoires/loa/NOTES.md"), "# NOTES\n");
  assert.ok(names("project").includes("log_decision"));
  assert.ok(names("user").includes("log_decision"));
});

test("a user's own rules stay, and doctor notes what they refuse [init.permissions]", async () => {
  for (const [host, { path, rule }] of Object.entries(files)) {
    const places = freshPlaces();
    await init(places, host);
    const gaps = async () => {
      const { pieces } = await hostNamed(host).setup();
      return pieces(places, launcher)
        .filter((piece) => piece.path === join(dirname(places.root), path))
        .flatMap((piece) => piece.gaps(rulesIn(places, path)));
    };
    assert.deepEqual(await gaps(), []);
    const [before, after] = [rule("update_notepad"), rule("other_notepad")];
    writeFileSync(join(dirname(places.root), path), rulesIn(places, path).replace(before, after));
    const [choice, ...more] = await gaps();
    assert.deepEqual([choice?.kind, more], ["choice", []]);
    assert.match(choice?.what ?? "", /does not allow all memory tools/);
  }
});
