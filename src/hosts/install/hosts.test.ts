import assert from "node:assert/strict";
import {
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { hostNames } from "../hosts.ts";
import { planInit, runInit } from "./init.ts";
import type { Places, Scope } from "./places.ts";
import { planUninstall, runUninstall } from "./uninstall.ts";

const launcher = { command: "/opt/a b/no'de", args: ["/opt/$x/cli.js"] };

function freshPlaces(scope: Scope = "project"): Places {
  const base = temporaryDirectory();
  const [root, home] = [join(base, "project"), join(base, "home")];
  mkdirSync(root);
  mkdirSync(home);
  return { scope, root, home, env: { PATH: "" } };
}

async function init(places: Places, ...names: string[]): Promise<void> {
  runInit(await planInit(names, places, launcher), places);
}

async function uninstall(places: Places, ...names: string[]): Promise<void> {
  runUninstall(await planUninstall(names, places), places);
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Every file and folder under the project and the home, with the bytes of the files. */
function everything({ root }: Places): Record<string, string> {
  const base = dirname(root);
  const paths = globSync("**/*", { cwd: base, exclude: () => false }).concat(
    globSync("**/.*", { cwd: base }),
    globSync("**/.*/**", { cwd: base }),
  );
  return Object.fromEntries(
    [...new Set(paths)].toSorted().map((path) => {
      const full = join(base, path);
      return [path, lstatSync(full).isDirectory() ? "folder" : readFileSync(full, "latin1")];
    }),
  );
}

function read({ root }: Places, file: string): string {
  return readFileSync(join(root, file), "utf8");
}

const otherHook = { matcher: "Bash", hooks: [{ type: "command", command: "echo mine" }] };

/** Config files as people have them. */
const jsonTexts: Record<string, string> = {
  "an empty file": "",
  "a blank file": "\n",
  "an empty object": "{}",
  "two spaces": '{\n  "other": 1\n}\n',
  tabs: '{\n\t"other": {\n\t\t"a": [1, 2]\n\t}\n}\n',
  "four spaces, no final newline": '{\n    "other": 1\n}',
  CRLF: '{\r\n  "other": 1,\r\n  "list": [\r\n    1\r\n  ]\r\n}\r\n',
  "a byte order mark": '\ufeff{\n  "other": 1\n}\n',
  comments: '// top\n{\n  // why\n  "other": 1, /* here */\n  "z": 2 // end\n}\n// bottom\n',
  "a trailing comma": '{\n  "other": 1,\n}\n',
  "one line": '{"other":{"a":1},"z":[1,2]}',
  "other servers":
    '{\n  "mcpServers": {\n    "github": { "command": "gh" }\n  },\n  "mcp": {\n    "x": { "type": "local", "command": ["x"] }\n  }\n}\n',
  "other hooks": `${JSON.stringify({ hooks: { SessionStart: [otherHook], PreToolUse: [otherHook] } }, null, 2)}\n`,
  "empty lists": '{\n  "hooks": { "SessionStart": [] },\n  "mcpServers": {}\n}\n',
  "keys out of order and odd spaces": '{ "z" : 1 ,\n\n\n   "a":2}\n\n\n',
  Unicode: '{\n  "grüße": "🌊 \\u0000",\n  "other": "é"\n}\n',
};

const jsonFiles = [
  ".mcp.json",
  ".claude/settings.json",
  ".codex/hooks.json",
  ".gemini/settings.json",
  "opencode.json",
];

const tomlTexts: Record<string, string> = {
  "an empty file": "",
  "no final newline": 'model = "x"',
  CRLF: 'model = "x"\r\n\r\n[mcp_servers.github]\r\ncommand = "gh"\r\n',
  comments: '# top\nmodel = "x" # why\n\n[tui]\n# inside\ntheme = "dark"\n# bottom\n',
  "a bracket in a string": 'text = """\n[mcp_servers.holdfast]\n"""\n[a]\nlist = [\n  [1],\n]\n',
};

for (const [name, text] of Object.entries(jsonTexts)) {
  test(`init and uninstall give back ${name} byte for byte [uninstall.exact] [init.merges] [init.idempotent]`, async () => {
    const places = freshPlaces();
    for (const file of jsonFiles) put(join(places.root, file), text);
    put(join(places.home, ".openclaw/openclaw.json"), text);
    const before = everything(places);
    await init(places, ...hostNames);
    const after = everything(places);
    assert.notDeepEqual(after, before);
    for (const file of jsonFiles) assert.ok(isAddedTo(text, read(places, file)), file);
    await init(places, ...hostNames);
    assert.deepEqual(everything(places), after, "the second init changed something");
    await uninstall(places);
    assert.deepEqual(everything(places), before);
  });
}

for (const [name, text] of Object.entries(tomlTexts)) {
  test(`init and uninstall give back TOML with ${name} byte for byte [uninstall.exact] [init.merges] [init.idempotent]`, async () => {
    const places = freshPlaces();
    const file = join(places.root, ".codex/config.toml");
    put(file, text);
    const before = everything(places);
    await init(places, "codex");
    const after = readFileSync(file, "utf8");
    assert.ok(after.startsWith(text), "TOML is only added to");
    assert.match(
      after,
      /^\[mcp_servers\.holdfast\]\r?\ncommand = "\/opt\/a b\/no'de"\r?\nargs = \["\/opt\/\$x\/cli\.js", "mcp"\]/m,
    );
    await init(places, "codex");
    assert.equal(readFileSync(file, "utf8"), after);
    await uninstall(places, "codex");
    assert.deepEqual(everything(places), before);
    await init(places, "codex");
    writeFileSync(file, `${readFileSync(file, "utf8")}\n[later]\nx = 1\n`);
    await uninstall(places, "codex");
    const rest = readFileSync(file, "utf8");
    assert.ok(rest.startsWith(text.trimEnd()) && rest.endsWith("[later]\nx = 1\n"), rest);
    assert.ok(!rest.slice(text.length).includes("holdfast"), rest);
  });
}

/** Whether a text became another one by additions alone. */
function isAddedTo(text: string, after: string): boolean {
  let at = -1;
  return [...text].every((character) => {
    at = after.indexOf(character, at + 1);
    return at >= 0;
  });
}

for (const [name, text] of Object.entries(jsonTexts)) {
  if (["an empty file", "a blank file", "a trailing comma", "empty lists"].includes(name)) continue;
  test(`our parts come out of ${name} again, without the record [uninstall.edits]`, async () => {
    const places = freshPlaces();
    for (const file of jsonFiles) put(join(places.root, file), text);
    await init(places, ...hostNames);
    writeFileSync(join(places.root, ".holdfast/installed.json"), "{}");
    await uninstall(places);
    for (const file of jsonFiles)
      if (existsSync(join(places.root, file)) || name !== "an empty object")
        assert.equal(read(places, file), text, file);
  });
}

test("nothing is there, and nothing is left after uninstall, in both scopes [uninstall.exact] [init.scopes]", async () => {
  for (const scope of ["project", "user"] as const) {
    const places = freshPlaces(scope);
    const before = everything(places);
    await init(places, ...hostNames);
    assert.ok(Object.keys(everything(places)).length > 15);
    const folder =
      scope === "project" ? join(places.root, ".holdfast") : join(places.home, ".config/holdfast");
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    await uninstall(places);
    assert.deepEqual(everything(places), before);
  }
});

test("the hosts' own variables say where their files are [init.scopes]", async () => {
  const places = freshPlaces("user");
  const elsewhere = join(dirname(places.root), "elsewhere");
  const env = {
    PATH: "",
    CLAUDE_CONFIG_DIR: join(elsewhere, "claude"),
    CODEX_HOME: join(elsewhere, "codex"),
    XDG_CONFIG_HOME: join(elsewhere, "xdg"),
    GEMINI_CLI_HOME: join(elsewhere, "gemini"),
    PI_CODING_AGENT_DIR: join(elsewhere, "pi"),
    OPENCLAW_STATE_DIR: join(elsewhere, "openclaw"),
  };
  await init({ ...places, env }, ...hostNames);
  const written = globSync(["**/*", "**/.*", "**/.*/**"], { cwd: elsewhere }).filter(
    (path) => !lstatSync(join(elsewhere, path)).isDirectory(),
  );
  assert.deepEqual([...new Set(written)].toSorted(), [
    "claude/.claude.json",
    "claude/settings.json",
    "codex/config.toml",
    "codex/hooks.json",
    "gemini/.gemini/extensions/holdfast/gemini-extension.json",
    "gemini/.gemini/extensions/holdfast/hooks/hooks.json",
    "openclaw/openclaw.json",
    "pi/extensions/holdfast.js",
    "xdg/holdfast/installed.json",
    "xdg/opencode/opencode.json",
    "xdg/opencode/plugin/holdfast.js",
  ]);
  assert.deepEqual(globSync("**/*", { cwd: places.home }), []);
  assert.equal(statSync(join(elsewhere, "xdg/holdfast")).mode & 0o777, 0o700);
});

test("what a person adds to our entries and beside them survives init and uninstall [init.idempotent] [uninstall.edits]", async () => {
  const places = freshPlaces();
  const file = join(places.root, ".mcp.json");
  put(file, '{\n  // mine\n  "mcpServers": {\n    "github": { "command": "gh" }\n  }\n}\n');
  const original = readFileSync(file, "utf8");
  await init(places, "claude-code");
  const edited = readFileSync(file, "utf8")
    .replace('"mcp"\n', '"mcp",\n        "--surfaces",\n        "notepad"\n')
    .replace("// mine", "// mine, and more");
  writeFileSync(file, edited);
  await init(places, "claude-code");
  assert.equal(readFileSync(file, "utf8"), edited);
  await uninstall(places, "claude-code");
  assert.equal(readFileSync(file, "utf8"), original.replace("// mine", "// mine, and more"));
});

test("a hook that a person added beside ours stays, and ours go [uninstall.edits]", async () => {
  const places = freshPlaces();
  const file = join(places.root, ".claude/settings.json");
  await init(places, "claude-code");
  const value = JSON.parse(readFileSync(file, "utf8")) as { hooks: Record<string, unknown[]> };
  value.hooks.SessionStart?.push(otherHook);
  value.hooks.PreToolUse = [otherHook];
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
  await uninstall(places);
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), {
    hooks: { SessionStart: [otherHook], PreToolUse: [otherHook] },
  });
  assert.equal(existsSync(join(places.root, ".mcp.json")), false);
  assert.equal(existsSync(join(places.root, ".holdfast")), false);
});

test("a server of the same name that was there before comes back [uninstall.edits]", async () => {
  const places = freshPlaces();
  const file = join(places.root, ".mcp.json");
  put(file, '{ "mcpServers": { "holdfast": { "command": "old", "env": { "A": "1" } } } }');
  await init(places, "claude-code");
  const changed = JSON.parse(readFileSync(file, "utf8")) as {
    mcpServers: Record<string, Record<string, unknown>>;
  };
  assert.deepEqual(changed.mcpServers.holdfast, {
    command: launcher.command,
    env: { A: "1" },
    type: "stdio",
    alwaysLoad: true,
    args: [...launcher.args, "mcp"],
  });
  writeFileSync(file, JSON.stringify({ ...changed, mine: 1 }));
  await uninstall(places);
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), {
    mcpServers: { holdfast: { command: "old", env: { A: "1" } } },
    mine: 1,
  });
});

test("our parts are found and taken out when the record is lost [uninstall.edits]", async () => {
  const places = freshPlaces();
  put(join(places.root, ".mcp.json"), '{\n  "mcpServers": {\n    "github": {}\n  }\n}\n');
  await init(places, ...hostNames);
  writeFileSync(join(places.root, ".holdfast/installed.json"), "{ damaged");
  await uninstall(places);
  assert.equal(
    readFileSync(join(places.root, ".mcp.json"), "utf8"),
    '{\n  "mcpServers": {\n    "github": {}\n  }\n}\n',
  );
  for (const path of [
    ".claude/settings.json",
    ".codex/config.toml",
    "opencode.json",
    ".pi/extensions/holdfast.js",
  ])
    assert.equal(existsSync(join(places.root, path)), false, path);
});

test("uninstall of one host leaves the others [uninstall.one-host]", async () => {
  const places = freshPlaces();
  await init(places, "claude-code");
  const alone = everything(places);
  await init(places, "codex", "pi");
  await uninstall(places, "codex", "pi");
  const { ...rest } = everything(places);
  const record = "project/.holdfast/installed.json";
  assert.deepEqual(JSON.parse(rest[record] ?? ""), JSON.parse(alone[record] ?? ""));
  assert.deepEqual({ ...rest, [record]: "" }, { ...alone, [record]: "" });
});

test("a newer command replaces an older one, and what was there first still comes back [init.idempotent] [uninstall.exact]", async () => {
  const places = freshPlaces();
  put(join(places.root, ".codex/config.toml"), 'model = "x"\n');
  const before = everything(places);
  await init(places, ...hostNames);
  const newer = { command: "holdfast", args: [] };
  runInit(await planInit(hostNames, places, newer), places);
  assert.match(
    readFileSync(join(places.root, ".codex/config.toml"), "utf8"),
    /^command = "holdfast"\nargs = \["mcp"\]$/m,
  );
  const settings = readFileSync(join(places.root, ".claude/settings.json"), "utf8");
  assert.ok(settings.includes('"command": "holdfast hook claude-code"') && !settings.includes("/opt/"));
  await uninstall(places);
  assert.deepEqual(everything(places), before);
});

for (const [name, file, text, line] of [
  ["JSON with a missing brace", ".mcp.json", '{\n  "a": {\n', 3],
  ["JSON with a stray word", ".claude/settings.json", '{\n  "a": 1,\n  oops\n}\n', 3],
  ["a list where an object belongs", ".gemini/settings.json", "[]", 1],
  ["TOML with a half line", ".codex/config.toml", "a = 1\nb = \n", 2],
] as const) {
  test(`${name} is named with its line, and no file of any host changes [init.refuses]`, async () => {
    const places = freshPlaces();
    put(join(places.root, file), text);
    const before = everything(places);
    await assert.rejects(
      () => init(places, ...hostNames),
      ({ message }: Error) =>
        message.includes(join(places.root, file)) &&
        message.includes(`line ${line}`) &&
        message.includes("Nothing was changed"),
    );
    assert.deepEqual(everything(places), before);
  });
}

for (const [name, file, content] of [
  ["hooks that are a list", ".claude/settings.json", '{"hooks": []}'],
  ["an event that is an object", ".claude/settings.json", '{"hooks": {"SessionStart": {}}}'],
  ["servers that are a text", ".mcp.json", '{"mcpServers": "none"}'],
  ["a key that stands there twice", ".mcp.json", '{"mcpServers": {}, "mcpServers": {"a": {}}}'],
  ["servers in one line of TOML", ".codex/config.toml", 'mcp_servers = { x = { command = "x" } }\n'],
  ["a plugin of somebody else", ".pi/extensions/holdfast.js", "export default () => {};\n"],
  ["bytes that are no text", ".mcp.json", "\u00ff\u00fe"],
] as const) {
  test(`${name}: refused, and nothing changes [init.refuses]`, async () => {
    const places = freshPlaces();
    mkdirSync(dirname(join(places.root, file)), { recursive: true });
    writeFileSync(join(places.root, file), content, "latin1");
    const before = everything(places);
    await assert.rejects(() => init(places, ...hostNames), /Nothing was changed/);
    assert.deepEqual(everything(places), before);
  });
}

test("a link inside the project is followed and stays a link; one that leads out is refused [init.links]", async () => {
  const places = freshPlaces();
  const outside = join(places.home, "secret.json");
  put(outside, "{}");
  put(join(places.root, "shared.json"), "{}\n");
  symlinkSync("shared.json", join(places.root, ".mcp.json"));
  await init(places, "claude-code");
  assert.ok(lstatSync(join(places.root, ".mcp.json")).isSymbolicLink());
  assert.match(readFileSync(join(places.root, "shared.json"), "utf8"), /holdfast/);
  await uninstall(places);
  assert.equal(readFileSync(join(places.root, "shared.json"), "utf8"), "{}\n");
  symlinkSync(outside, join(places.root, "opencode.json"));
  await assert.rejects(() => init(places, "opencode"), /leads out of the project/);
  symlinkSync(places.home, join(places.root, ".codex"));
  await assert.rejects(() => init(places, "codex"), /leads out of the project/);
  symlinkSync(join(places.root, "nowhere"), join(places.root, ".pi"));
  await assert.rejects(() => init(places, "pi"), /leads nowhere/);
  assert.equal(readFileSync(outside, "utf8"), "{}");
});

test("a person's linked dotfile is written to where it really is [init.links]", async () => {
  const places = freshPlaces("user");
  put(join(places.home, "dotfiles/settings.json"), "{}\n");
  mkdirSync(join(places.home, ".claude"));
  symlinkSync("../dotfiles/settings.json", join(places.home, ".claude/settings.json"));
  await init(places, "claude-code");
  assert.match(readFileSync(join(places.home, "dotfiles/settings.json"), "utf8"), /hook claude-code/);
  await uninstall(places);
  assert.equal(readFileSync(join(places.home, "dotfiles/settings.json"), "utf8"), "{}\n");
  assert.ok(lstatSync(join(places.home, ".claude/settings.json")).isSymbolicLink());
});

test("when one file cannot be written, all are as they were [init.all-or-nothing]", async () => {
  const places = freshPlaces();
  put(join(places.root, ".mcp.json"), "{}\n");
  const plan = await planInit(["claude-code", "pi"], places, launcher);
  const before = everything(places);
  // Between the plan and the writing, a file appears where a folder is needed.
  put(join(places.root, ".pi"), "");
  assert.throws(() => runInit(plan, places), /could not be written.*Nothing was changed/);
  assert.deepEqual(everything(places), { ...before, "project/.pi": "" });
});

test("a file that another program has changed since the plan is not overwritten [init.all-or-nothing]", async () => {
  const places = freshPlaces();
  const plan = await planInit(["claude-code"], places, launcher);
  put(join(places.root, ".claude/settings.json"), "{}\n");
  const before = everything(places);
  assert.throws(() => runInit(plan, places), /changed by another program\. Nothing was changed/);
  assert.deepEqual(everything(places), before);
});

test("a broken file of a host that init never wrote to does not stop uninstall; one of ours does [uninstall.one-host]", async () => {
  const places = freshPlaces();
  const before = everything(places);
  await init(places, "pi");
  put(join(places.home, ".openclaw/openclaw.json"), "{ broken");
  await uninstall(places);
  assert.deepEqual(
    Object.keys(everything(places)).toSorted(),
    [...Object.keys(before), "home/.openclaw", "home/.openclaw/openclaw.json"].toSorted(),
  );
  await init(places, "claude-code");
  put(join(places.root, ".mcp.json"), "{ broken");
  const broken = everything(places);
  await assert.rejects(() => uninstall(places), /\.mcp\.json, line 1/);
  assert.deepEqual(everything(places), broken);
});

test("hosts are found by their program, their folder or a project file [init.detects]", async () => {
  const places = freshPlaces();
  const found = async (env = places.env) =>
    (await planInit([], { ...places, env }, launcher)).hosts.map(({ name }) => name);
  assert.deepEqual(await found(), []);
  put(join(places.root, "opencode.jsonc"), "{}");
  mkdirSync(join(places.home, ".codex"));
  const bin = join(places.home, "bin");
  put(join(bin, "gemini"), "#!/bin/sh\n");
  assert.deepEqual(
    await found({ PATH: bin }),
    ["codex", "opencode"],
    "a file that cannot be run is no program",
  );
  put(join(bin, "claude"), "");
  writeFileSync(join(bin, "pi"), "#!/bin/sh\n", { mode: 0o755 });
  assert.deepEqual(await found({ PATH: bin }), ["codex", "opencode", "pi"]);
  await assert.rejects(() => planInit(["cursor"], places, launcher), /no host "cursor".*claude-code, codex/);
});
