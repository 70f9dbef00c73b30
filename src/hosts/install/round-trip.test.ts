import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readToml } from "../codex/config-toml.ts";
import { hostNames } from "../hosts.ts";
import { sharedServer } from "./launcher.ts";
import { recordFolder } from "./places.ts";
import {
  everything,
  freshPlaces,
  init,
  launcher,
  otherHook,
  put,
  read,
  uninstall,
} from "./test-support/installed-project.ts";

/** Config files as users write them. */
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
  "kilo.json",
  ".qwen/settings.json",
  ".cursor/mcp.json",
  ".cursor/hooks.json",
];

/** Of the hosts that have one config for all projects. */
const homeFiles = [".openclaw/openclaw.json", ".copilot/mcp-config.json", ".copilot/hooks/holdfast.json"];

const tomlTexts: Record<string, string> = {
  "an empty file": "",
  "no final newline": 'model = "x"',
  CRLF: 'model = "x"\r\n\r\n[mcp_servers.github]\r\ncommand = "gh"\r\n',
  comments: '# top\nmodel = "x" # why\n\n[tui]\n# inside\ntheme = "dark"\n# bottom\n',
  "no keys above the first table": '# about the table\n[tui]\ntheme = "dark"\n',
  "a bracket in a string": 'text = """\n[mcp_servers.holdfast]\n"""\n[a]\nlist = [\n  [1],\n]\n',
};

for (const [name, text] of Object.entries(jsonTexts)) {
  test(`uninstall restores ${name} byte for byte after init [uninstall.exact] [init.merges] [init.idempotent]`, async () => {
    const places = freshPlaces();
    for (const file of jsonFiles) put(join(places.root, file), text);
    for (const file of homeFiles) put(join(places.home, file), text);
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
  test(`uninstall restores TOML with ${name} byte for byte after init [uninstall.exact] [init.merges] [init.idempotent]`, async () => {
    const places = freshPlaces();
    const file = join(places.root, ".codex/config.toml");
    put(file, text);
    const before = everything(places);
    await init(places, "codex");
    const after = readFileSync(file, "utf8");
    assert.ok(isAddedTo(text, after), "init only adds to TOML");
    assert.equal(readToml(after, file).mcp_optional_startup_grace_ms, 5000, "above the first table");
    const { mcp_servers } = readToml(after, file) as { mcp_servers: Record<string, object> };
    const { command, args } = sharedServer(launcher);
    assert.partialDeepStrictEqual(mcp_servers.holdfast, { command, args: [...args, "mcp"] });
    await init(places, "codex");
    assert.equal(readFileSync(file, "utf8"), after);
    await uninstall(places, "codex");
    assert.deepEqual(everything(places), before);
    await init(places, "codex");
    writeFileSync(file, `${readFileSync(file, "utf8")}\n[later]\nx = 1\n`);
    await uninstall(places, "codex");
    const rest = readFileSync(file, "utf8");
    assert.ok(rest.startsWith(text.trimEnd()) && rest.endsWith("[later]\nx = 1\n"), rest);
    assert.ok(!/holdfast/i.test(rest.slice(text.length)), rest);
  });
}

for (const added of ["# my own\n# [mcp_servers.old]\n", "# my own\n\n# about later\n[later]\nx = 1\n"]) {
  test(`uninstall keeps comments below our TOML: ${JSON.stringify(added)} [uninstall.edits]`, async () => {
    for (const text of ["", 'model = "x"\n', 'model = "x"\r\n']) {
      const places = freshPlaces("user");
      const file = join(places.home, ".codex/config.toml");
      if (text !== "") put(file, text);
      await init(places, "codex");
      writeFileSync(file, `${readFileSync(file, "utf8")}\n${added}`);
      await uninstall(places);
      assert.equal(readFileSync(file, "utf8").trimStart(), `${text}\n${added}`.trimStart());
    }
  });
}

test("Codex's first request waits for the memory tools; a user's own setting stays [init.codex-wait]", async () => {
  const own = "mcp_optional_startup_grace_ms = 0\n";
  for (const userFile of [false, true]) {
    const places = freshPlaces();
    const file = join(places.root, ".codex/config.toml");
    put(userFile ? join(places.home, ".codex/config.toml") : file, own);
    await init(places, "codex");
    assert.equal(
      readToml(readFileSync(file, "utf8"), file).mcp_optional_startup_grace_ms,
      userFile ? undefined : 0,
    );
    // As if the user had edited the file since, and the record were lost.
    writeFileSync(join(recordFolder(places), "installed.json"), "{}");
    await uninstall(places, "codex");
    assert.equal(readFileSync(userFile ? join(places.home, ".codex/config.toml") : file, "utf8"), own);
  }
});

/** Whether the second text differs from the first only by additions. */
function isAddedTo(text: string, after: string): boolean {
  let at = -1;
  return [...text].every((character) => {
    at = after.indexOf(character, at + 1);
    return at >= 0;
  });
}

for (const [name, text] of Object.entries(jsonTexts)) {
  if (["an empty file", "a blank file", "a trailing comma", "empty lists"].includes(name)) continue;
  test(`uninstall removes our parts from ${name} even without the record [uninstall.edits]`, async () => {
    const places = freshPlaces();
    for (const file of jsonFiles) put(join(places.root, file), text);
    await init(places, ...hostNames);
    writeFileSync(join(recordFolder(places), "installed.json"), "{}");
    await uninstall(places);
    for (const file of jsonFiles)
      if (existsSync(join(places.root, file)) || name !== "an empty object")
        assert.equal(read(places, file), text, file);
  });
}
