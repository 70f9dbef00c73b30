import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { holdfast, runNode } from "../../test/support/command-line.ts";
import { openTestMemory } from "../../test/support/memory.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";

const root = join(import.meta.dirname, "../..");

test("on a Node that is too old, one line reports it and the exit code is 1 [repo.node-version]", async () => {
  for (const version of ["20.20.2", "22.12.0", "18.0.0", "9.0.0"]) {
    const pretend = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });`;
    const { code, stdout, stderr } = await runNode([
      "--import",
      `data:text/javascript,${encodeURIComponent(pretend)}`,
      join(root, "src/cli.ts"),
      "--version",
    ]);
    assert.equal(code, 1);
    assert.equal(stdout, "");
    assert.match(
      stderr,
      new RegExp(`^holdfast needs Node 22\\.13 or newer, and this is ${version}\\..*\\n$`),
    );
  }
  assert.equal((await holdfast("--version")).code, 0);
});

test("a real older Node, if there is one, prints the same [repo.node-version]", async (context) => {
  const old = (process.env.PATH ?? "")
    .split(delimiter)
    .map((directory) => join(directory, "node"))
    .find((path) => isOlder(path));
  if (old === undefined) return context.diagnostic("no older Node was found on the PATH");
  const entry = join(temporaryDirectory(), "cli.mjs");
  writeFileSync(entry, stripTypeScriptTypes(readFileSync(join(root, "src/cli.ts"), "utf8")));
  for (const args of [["--version"], ["show"], []]) {
    const { code, stdout, stderr } = await runNode([entry, ...args], old);
    assert.equal(code, 1);
    assert.equal(stdout, "");
    assert.match(stderr, /^holdfast needs Node 22\.13 or newer, and this is [\d.]+\..*\n$/);
  }
});

function isOlder(path: string): boolean {
  try {
    const [major = 0] = execFileSync(path, ["-p", "process.versions.node"], { encoding: "utf8" })
      .split(".")
      .map(Number);
    return major < 22;
  } catch {
    return false;
  }
}

test("the lock file names no download address [repo.lock]", () => {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { resolved?: string }>;
  };
  const packages = Object.entries(lock.packages);
  assert.ok(packages.length > 20);
  assert.deepEqual(
    packages.filter(([, { resolved }]) => resolved !== undefined && /^(?:https?|git)/.test(resolved)),
    [],
  );
});

test("the log shows the journal, and the full text of a truncated write [scratchpad.truncation-kept] [journal.history] [people.sentences]", async () => {
  const db = join(temporaryDirectory(), "memory.db");
  const memory = await openTestMemory({ store: db });
  const session = await memory.createSession({ id: "s" });
  const content = `${"x".repeat(2_000)} and the end that was cut`;
  const { text } = await session.call("session.scratchpad", { action: "set_plan", content });
  await memory.close();
  const revision = / as revision (\d+)\./.exec(text)?.[1] ?? "";
  const { code, stdout } = await holdfast("log", "s", "--revision", revision, "--store", db);
  assert.equal(code, 0);
  assert.ok(stdout.includes("and the end that was cut"));
  const list = await holdfast("log", "s", "--store", db);
  assert.match(list.stdout, /2 .*agent.*Wrote the plan: x/);
  assert.equal((await holdfast("log", "s", "--revision", "9", "--store", db)).code, 1);
});

test("notes of several processes have ids that are unique and increasing [notes.ids]", async () => {
  const db = join(temporaryDirectory(), "memory.db");
  const memory = await openTestMemory({ store: db });
  const session = await memory.createSession({ id: "s" });
  const writer = `
    import { openMemory } from ${JSON.stringify(join(root, "src/index.ts"))};
    const memory = await openMemory({ store: ${JSON.stringify(db)}, clock: () => 1_000_000 });
    const session = await memory.resumeSession("s");
    for (let index = 0; index < 40; index++) await session.call("add_note", { content: process.pid + " " + index });
    await memory.close();`;
  const outcomes = await Promise.all([1, 2, 3].map(() => runNode(["--input-type=module", "--eval", writer])));
  for (const { code, stderr } of outcomes) assert.equal(code, 0, stderr);
  const ids = (await session.notes.all()).map(({ id }) => Number(id.slice("note_".length))).toReversed();
  assert.deepEqual(
    ids,
    Array.from({ length: 120 }, (_, index) => 1_000_000 + index),
  );
  await memory.close();
});
