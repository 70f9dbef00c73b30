import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isSource } from "../../scripts/boundaries.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { commands } from "../cli/main.ts";
import { hostNames, hosts } from "./hosts.ts";

const root = join(import.meta.dirname, "../..");
const list = "src/hosts/hosts.ts";

/** Every quoted host name, as `file:line: "name"`, outside the host's own folder and the list of hosts. */
function findNames(path: string, text: string): string[] {
  const isOwn = (name: string) => path === list || path.startsWith(`src/hosts/${name}/`);
  const quoted = new RegExp(`(["'\`])(${hostNames.join("|")})\\1`, "g");
  return text
    .split("\n")
    .flatMap((line, index) =>
      [...line.matchAll(quoted)]
        .filter(([, , name = ""]) => !isOwn(name))
        .map(([match]) => `${path}:${index + 1}: ${match}`),
    );
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
  assert.deepEqual(findNames("src/hosts/hook/event.ts", planted), ['src/hosts/hook/event.ts:2: "gemini"']);
  assert.equal(findNames("src/hosts/pi/extension.ts", planted).length, 1);
  assert.equal(findNames("src/cli/commands/hook.ts", "run(`pi`, 'codex')").length, 2);
  assert.deepEqual(findNames("src/hosts/gemini/host.ts", planted), []);
  assert.deepEqual(findNames(list, planted), []);
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
  for (const command of ["init", "uninstall", "doctor"])
    assert.ok(commands[command]?.options?.includes(` ${hostNames.join(", ")} (default:`), command);
});
