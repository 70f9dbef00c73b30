import assert from "node:assert/strict";
import { accessSync, constants, existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const manifest = JSON.parse(read("package.json")) as { scripts: Record<string, string>; keywords: string[] };

interface Workflow {
  on: Record<string, unknown>;
  permissions?: Record<string, string>;
  jobs: Record<string, { strategy?: { matrix: Record<string, unknown[]> }; steps: { run?: string }[] }>;
}

const workflows = Object.fromEntries(
  globSync(".github/workflows/*.yml", { cwd: root }).map((path) => [path, parse(read(path)) as Workflow]),
);

/** Scripts that a workflow runs and that do not exist. */
function missingScripts({ jobs }: Workflow): string[] {
  const lines = Object.values(jobs).flatMap(({ steps }) =>
    steps.flatMap(({ run }) => run?.split("\n") ?? []),
  );
  return lines.flatMap((line) => {
    const [, script] = /^npm run (?:--silent )?([\w:-]+)/.exec(line) ?? [];
    if (script !== undefined && !manifest.scripts[script]) return [line];
    const [file] = /^\.ci\/\w+/.exec(line) ?? [];
    return file !== undefined && !existsSync(join(root, file)) ? [line] : [];
  });
}

test("CI runs the repository's own scripts on three systems and two versions of Node [repo.expected]", () => {
  assert.deepEqual(Object.keys(workflows).length, 3);
  const { matrix } = workflows[join(".github/workflows/ci.yml")]?.jobs.test?.strategy ?? {};
  assert.deepEqual(matrix?.os, ["ubuntu-latest", "macos-latest", "windows-latest"]);
  assert.deepEqual(matrix?.node, [22, 24]);
  for (const [path, workflow] of Object.entries(workflows)) {
    assert.deepEqual(missingScripts(workflow), [], path);
    assert.deepEqual(workflow.permissions, { contents: "read" }, `${path} has more rights than it needs`);
  }
  for (const script of ["run", "smoke"]) accessSync(join(root, ".ci", script), constants.X_OK);
});

test("the check finds a script that is missing [repo.expected]", () => {
  const steps = [{ run: "npm run nothing\n.ci/absent" }, { run: "npm run check" }, {}];
  assert.deepEqual(missingScripts({ on: {}, jobs: { one: { steps } } }), ["npm run nothing", ".ci/absent"]);
});

test("templates, conduct, releasing and the editor's settings are there [repo.expected]", () => {
  for (const path of [
    ".github/PULL_REQUEST_TEMPLATE.md",
    ".github/dependabot.yml",
    ".changeset/config.json",
    ".devcontainer/devcontainer.json",
    ".editorconfig",
    "CODE_OF_CONDUCT.md",
    "RELEASING.md",
    "SECURITY.md",
    "docs/versioning.md",
  ])
    assert.ok(existsSync(join(root, path)), path);
  for (const path of globSync(".github/ISSUE_TEMPLATE/*.yml", { cwd: root }).filter(
    (name) => !name.endsWith("config.yml"),
  )) {
    const { name, description, body } = parse(read(path)) as Record<string, unknown>;
    assert.ok(typeof name === "string" && typeof description === "string" && Array.isArray(body), path);
  }
  for (const word of ["compaction", "claude-code", "mcp", "ai-sdk"])
    assert.ok(manifest.keywords.includes(word), word);
});

test("the lock file names no download address [repo.lock]", () => {
  const lock = JSON.parse(read("package-lock.json")) as {
    packages: Record<string, { resolved?: string }>;
  };
  const packages = Object.entries(lock.packages);
  assert.ok(packages.length > 20);
  assert.deepEqual(
    packages.filter(([, { resolved }]) => resolved !== undefined && /^(?:https?|git)/.test(resolved)),
    [],
  );
});
