import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isSource } from "../../scripts/boundaries.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { commandHelp } from "../cli/help.ts";
import { hostNames, hosts } from "./hosts.ts";

const root = join(import.meta.dirname, "../..");
const list = "src/hosts/hosts.ts";

/** Quoted strings, which may contain what looks like a comment, and comments. */
const stringOrComment = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g;

/** Names that are also words of programs: only a quoted one names the host. */
const programWords = new Set(["cursor"]);

/**
 * Every name or title of a host that is a word of the code, as `file:line: name`, outside the host's own folder and the
 * list of hosts. A comment may name one, and so may a stored key (`openclaw:scratchpad`), which cannot be renamed.
 */
function findNames(path: string, text: string): string[] {
  if (path === list) return [];
  const code = text.replaceAll(stringOrComment, (match, string) => string ?? match.replaceAll(/./g, ""));
  const words = hosts
    .filter(({ name }) => !path.startsWith(`src/hosts/${name}/`))
    .flatMap(({ name, title }) => [programWords.has(name) ? `(?<=["'])${name}(?=["'])` : name, title]);
  const pattern = new RegExp(`(?<![\\w-])(?:${words.join("|")})(?![\\w-]|:\\w)`, "g");
  return code
    .split("\n")
    .flatMap((line, index) => [...line.matchAll(pattern)].map(([word]) => `${path}:${index + 1}: ${word}`));
}

test("no source names a host outside the host's own folder [repo.hosts]", () => {
  const files = globSync("src/**/*.ts", { cwd: root }).filter(isSource);
  assert.ok(files.length > 300, "too few source files found");
  assert.deepEqual(
    files.flatMap((path) => findNames(path, readFileSync(join(root, path), "utf8"))),
    [],
  );
});

test("finds a planted name, also in another host's folder, but not in the host's own [repo.hosts]", () => {
  const planted = 'const { host } = event;\nif (host.name === "gemini") return;\n';
  assert.deepEqual(findNames("src/hosts/hook/event.ts", planted), ["src/hosts/hook/event.ts:2: gemini"]);
  assert.equal(findNames("src/hosts/pi/extension.ts", planted).length, 1);
  assert.equal(findNames("src/cli/commands/hook.ts", "run(`pi`, 'codex')").length, 2);
  assert.deepEqual(findNames("src/hosts/gemini/host.ts", planted), []);
  assert.deepEqual(findNames(list, planted), []);
  assert.equal(findNames("src/cli/commands/hook.ts", 'if (name === "cursor") return cursor;').length, 1);
});

test("finds a name and a title inside a text, but not in a comment or as part of a word [repo.hosts]", () => {
  const find = (text: string) => findNames("src/cli/commands.ts", text);
  const main = readFileSync(join(root, "src/cli/commands.ts"), "utf8");
  const planted = main.replace('hostNames.join(", ")', '"codex, pi"');
  assert.deepEqual(
    find(planted).map((found) => found.split(": ")[1]),
    ["codex", "pi"],
  );
  assert.equal(find('usage: "export SESSION [--format json|pi]"').length, 1);
  assert.equal(find("`The file\n is not in ~/.pi/agent.`").length, 1);
  assert.equal(find("`a Claude Code transcript`").length, 1);
  assert.equal(find('"see https://example.org/* for opencode"').length, 1);
  assert.deepEqual(
    find('/** As pi has it. */\nread(); // Codex, too\n[".claude/skills", "pip", "copi-lot"]'),
    [],
  );
});

test("every host has a folder with its name, a setup, and its name in the help [repo.hosts]", async () => {
  for (const host of hosts) {
    assert.ok(existsSync(join(root, "src/hosts", host.name, "host.ts")), host.name);
    const { live, projectFiles } = await host.setup();
    assert.ok(projectFiles.length > 0, host.name);
    assert.ok(
      live
        .first({ url: "http://127.0.0.1:9", folder: temporaryDirectory(), prompt: "hello" })
        .includes("hello"),
    );
  }
  for (const command of ["init", "uninstall", "doctor"] as const)
    assert.ok(JSON.stringify(commandHelp(command)).includes(`${hostNames.join(", ")} (default:`), command);
});
