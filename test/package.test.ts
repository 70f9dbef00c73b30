import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { build, type UserConfig } from "tsdown";
import { hook } from "../tsdown.config.ts";
import { temporaryDirectory } from "./support/temporary.ts";

const root = join(import.meta.dirname, "..");
const dist = temporaryDirectory();

before(async () => {
  const entry = { index: "src/index.ts", cli: "src/cli.ts" };
  await build({
    config: false,
    cwd: root,
    entry,
    outDir: dist,
    format: "esm",
    fixedExtension: false,
    dts: false,
    logLevel: "silent",
  });
  await build({
    ...(hook as UserConfig),
    config: false,
    cwd: root,
    outDir: dist,
    logLevel: "silent",
  });
});

/** All static imports of a built file, direct and indirect. */
function staticImports(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(join(dist, file), "utf8");
  for (const [, specifier = ""] of text.matchAll(/^(?:import|export)\b[^"'();]*["']([^"']+)["'];?$/gm)) {
    if (specifier.startsWith("./")) staticImports(specifier.slice(2), seen);
    else seen.add(specifier);
  }
  return seen;
}

test("the built root entry imports no Node module [repo.root-entry]", () => {
  const imports = [...staticImports("index.js")];
  assert.ok(imports.includes("zod"), "staticImports finds nothing");
  assert.deepEqual(
    imports.filter((name) => name.startsWith("node:") || ["fs", "path", "pg", "ai"].includes(name)),
    [],
  );
});

test("the check finds a Node module where there is one [repo.root-entry]", () => {
  assert.ok([...staticImports("cli.js")].includes("node:fs"));
});

test("the CLI entry loads only its own few lines [repo.root-entry]", () => {
  assert.deepEqual([...staticImports("cli.js")], ["cli.js", "node:fs"]);
});

test("a hook loads only its own file and Node's modules, because an agent waits for it [repo.hook-entry]", () => {
  const files = readdirSync(dist).filter((name) => /^hook(?:-core-[\w-]+)?\.js$/.test(name));
  assert.equal(files.length, 2);
  const imports = files.flatMap((name) => [
    ...readFileSync(join(dist, name), "utf8").matchAll(/\b(?:from|import)\s*"([^"]+)"/g),
  ]);
  const names = imports.map(([, name = ""]) => name);
  assert.ok(names.includes("node:sqlite"), "the pattern finds no imports");
  assert.deepEqual(
    names.filter((name) => !name.startsWith("node:") && !name.startsWith("./hook-core-")),
    [],
  );
});

test("the hook's file does not contain what init writes for a host [repo.hook-entry]", () => {
  const holders = readdirSync(dist).filter(
    (name) => name.endsWith(".js") && readFileSync(join(dist, name), "utf8").includes("mcpServers"),
  );
  assert.ok(holders.length > 0, "no built file contains it");
  assert.deepEqual(
    holders.filter((name) => name.startsWith("hook")),
    [],
  );
});
